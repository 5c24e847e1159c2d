"""The child process that runs llama.cpp's server.

Start it with `python -m agent.engines.gguf.llama_server_child`.

The first line on stdin is the API key that clients must send. The child prints its address as one
line of JSON and exits when stdin closes, which also happens if the parent is killed.
"""

import argparse
import json
import os
import sys
import threading
from typing import Any

from agent.child_process.die_with_parent import die_with_parent

# The markup of `agent.protocol.protocol`, instead of the template in the model file
TEMPLATE = (
    "{%- for message in messages -%}"
    "{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}"
)
# By the published rules no line ends after the agent's own turns
TIGHT_TEMPLATE = TEMPLATE.replace(
    "'<|im_end|>\\n' }}", "'<|im_end|>' + ('' if message.role == 'assistant' else '\\n') }}"
)
ALIAS = "model"
MAX_KEY = 200
ERRORS_ONLY = 1  # a verbosity of llama.cpp


def main() -> int:
    die_with_parent()
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("mmproj")
    parser.add_argument("--context", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--tight", action="store_true")
    options = parser.parse_args()
    key = sys.stdin.buffer.readline(MAX_KEY).decode("ascii").strip()
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    answers = os.dup(1)
    os.dup2(2, 1)  # llama.cpp prints to stdout too: only the address may go there
    try:
        server = _serve(options, key)
    except (ImportError, RuntimeError, ValueError, OSError) as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    with os.fdopen(answers, "w", encoding="ascii") as parent:
        parent.write(json.dumps({"address": server.listening_address}) + "\n")
    threading.Event().wait()
    return 0


def _serve(options: argparse.Namespace, key: str) -> Any:
    """Load the model and serve it as long as the returned object is alive."""
    import xllamacpp as x

    params = x.CommonParams()
    params.model.path = options.model
    params.mmproj.path = options.mmproj
    params.model_alias = {ALIAS}
    params.n_ctx = options.context
    params.n_parallel = 1
    params.n_gpu_layers = 0
    params.mmproj_use_gpu = False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.threads
    # flash attention shifts the logits by as much as another picture would
    params.flash_attn_type = x.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    params.chat_template = TIGHT_TEMPLATE if options.tight else TEMPLATE
    params.force_pure_content_parser = True  # keeps thoughts and calls in the text
    params.reasoning_format = x.common_reasoning_format.COMMON_REASONING_FORMAT_NONE
    params.fit_params = False
    params.warmup = False
    params.cache_ram_mib = 0  # the default keeps 8 GiB of old conversations
    params.api_keys = [key]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.ui = False
    params.endpoint_slots = False
    params.n_threads_http = 2
    params.verbosity = ERRORS_ONLY
    return x.Server(params)


def _exit_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    raise SystemExit(main())
