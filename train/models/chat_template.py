"""The chat template in Jinja, by which servers and TRL render the same text as `agent.protocol`.

A content is a string or parts `{"type": "image"}` and `{"type": "text", "text": ...}`. Tools are
described only if the system turn does not do so already.
"""

from agent.protocol.protocol import TOOL_BLOCK

_TOOLS_BEFORE, _TOOLS_AFTER = TOOL_BLOCK.replace("{{", "{").replace("}}", "}").split("{schemas}")

CHAT_TEMPLATE = (
    """\
{%- macro said(content) -%}
{%- if content is string -%}{{ content }}
{%- elif content is not none -%}
{%- for part in content -%}
{%- if part.type == 'image' -%}{{ '<|vision_start|><|image_pad|><|vision_end|>' }}
{%- elif part.type == 'text' -%}{{ part.text }}{%- endif -%}
{%- endfor -%}
{%- endif -%}
{%- endmacro -%}
{%- set described = namespace(done=not tools) -%}
{%- for message in messages -%}
{%- set text = said(message.content) -%}
{%- if message.role == 'tool' -%}
{{- '<|im_start|>user\\n<tool_response>\\n' + text + '\\n</tool_response><|im_end|>\\n' -}}
{%- elif message.role == 'assistant' -%}
{{- '<|im_start|>assistant\\n' -}}
{%- if message.reasoning_content -%}
{{- '<think>' + message.reasoning_content + '</think>\\n' -}}
{%- endif -%}
{{- text -}}
{%- for call in message.tool_calls or [] -%}
{%- set call = call.function or call -%}
{{- '<tool_call>\\n{"name": "' + call.name + '", "arguments": ' + call.arguments | tojson
  + '}\\n</tool_call>' -}}
{%- endfor -%}
{{- '<|im_end|>' -}}
{{- '\\n' -}}
{%- else -%}
{{- '<|im_start|>' + message.role + '\\n' + text -}}
{%- if message.role == 'system' and not described.done and '<tools>' not in text -%}
{{- """
    + repr(_TOOLS_BEFORE)
    + """ -}}
{%- for tool in tools -%}{{- tool | tojson -}}{%- if not loop.last -%}{{- '\\n' -}}{%- endif -%}
{%- endfor -%}
{{- """
    + repr(_TOOLS_AFTER)
    + """ -}}
{%- endif -%}
{{- '<|im_end|>\\n' -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}
"""
)
