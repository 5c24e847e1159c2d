<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>AgentDesk</name>
    <message>
        <source>The agent is not at work</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent is not at work here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the agent saw is hidden until you have judged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent has looked at nothing here yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This session can only be read: nothing can be kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the spectrum is still being read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent cannot look: {why}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent is at work here already</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enough candidates wait for the agent already</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AgentFollower</name>
    <message>
        <source>The agent looks here</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AgentHead</name>
    <message>
        <source>Model: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hand back: the agent goes on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent waits before its next turn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loading the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cannot be used: {why}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ready · {engine}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agent</source>
        <translation type="unfinished">智能体</translation>
    </message>
    <message>
        <source>Choose another model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run the agent here</source>
        <translation type="unfinished">对此天体运行智能体</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run the agent over the list</source>
        <translation type="unfinished">对整个列表运行智能体</translation>
    </message>
</context>
<context>
    <name>AgentPage</name>
    <message>
        <source>Agent</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>The best one in the box</source>
        <translation>随程序附带的最佳模型</translation>
    </message>
    <message>
        <source>A name of the list, a folder or GGUF file, or a server&apos;s address</source>
        <translation>列表中的名称、文件夹或 GGUF 文件，或服务器地址</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Each takes memory for a model of its own</source>
        <translation>每个都要为各自的模型占用内存</translation>
    </message>
    <message>
        <source>Inspections at a time</source>
        <translation>同时检视数</translation>
    </message>
    <message>
        <source>Keys of servers</source>
        <translation>服务器密钥</translation>
    </message>
    <message>
        <source>A server&apos;s key is read from SPEC_O3_API_KEY or the system&apos;s keyring. It is kept neither here nor in sessions or exports</source>
        <translation>服务器密钥从环境变量 SPEC_O3_API_KEY 或系统密钥环读取，不会保存在这里，也不会写入会话或导出文件</translation>
    </message>
    <message>
        <source>Ready: {where}</source>
        <translation>就绪：{where}</translation>
    </message>
    <message>
        <source>Not complete: {files} missing</source>
        <translation>不完整：缺少 {files}</translation>
    </message>
    <message>
        <source>Not on this machine yet: spec-o3 models get {name}</source>
        <translation>本机尚无此模型，获取命令：spec-o3 models get {name}</translation>
    </message>
</context>
<context>
    <name>AgentPanel</name>
    <message>
        <source>No candidate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hidden until you judge ({key} reveals)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent is at work</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Held: show it a window, tell it a word, then hand back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent looks at the whole spectrum</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It has looked at nothing and said nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not inspected yet ({key} runs the agent here)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AgreementPage</name>
    <message>
        <source>Kappa with 95 % interval: 0 is chance, above 0.8 two judge as one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only verdicts given before anything of the agent&apos;s opinion was seen.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most disagreement is about noise.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Between people</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Between people and the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Faint and bright</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All people (Fleiss)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a second time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Two people must have judged the same objects first. Open the session under another name, or merge a colleague&apos;s.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>People</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing to compare yet: this needs objects that two have judged.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blind mode: shown when you have judged everything, or when blind mode is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You must judge some objects blind that the agent has inspected: before its verdict is on screen.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Answers</name>
    <message>
        <source>Blind mode: judge it yourself, or reveal the agent&apos;s verdict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent proposes nothing here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blind mode is on: the agent&apos;s opinion stays hidden until you have judged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blind mode is off</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BatchLine</name>
    <message>
        <source>Candidates of the list the agent has inspected</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Blank</name>
    <message>
        <source>Retry</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next object (N)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing to show</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This list is empty, or the filter leaves nothing of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This spectrum cannot be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the spectrum…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Blindness</name>
    <message>
        <source>Blind mode: a filter or order by the agent&apos;s opinion would tell it</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CalibrationCard</name>
    <message>
        <source>How far p(YES) can be believed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished">模型</translation>
    </message>
    <message>
        <source>Reliability curve</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Round: as the model tells it. Diamonds: calibrated, out of fold.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fit from my verdicts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wanted precision, per cent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Candidates by p(YES)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Candidates by p(YES): real ones (green), others (red), not judged (grey). Heights grow as the square root of the number; the dashed line is the cut.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blind mode: shown when you have judged everything, or when blind mode is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No agent has inspected anything in this session yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The cut for a precision of</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>p(YES) as told</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>share that is real</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No object with a p(YES) has been judged blind yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} judged blind, {real} of them real</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mean error (ECE) {error}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{error} calibrated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Brier score</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>p(YES)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It would decide {share} of what is not judged yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>p(YES) is calibrated on {count} of your verdicts</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Card</name>
    <message>
        <source>Copy the text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show less</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on from here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>picture</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CataloguePanel</name>
    <message>
        <source>Format</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first rows of the catalogue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Candidates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CSV, with units and provenance in a file beside it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ECSV: CSV with units and provenance inside</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>FITS table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>VOTable</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Parquet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All that were judged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the list is filtered now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} rows, {columns} columns; the first:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hidden</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>Find a command</source>
        <translation>查找命令</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>No command is called so</source>
        <translation>没有这样的命令</translation>
    </message>
</context>
<context>
    <name>CommentBox</name>
    <message>
        <source>Comment</source>
        <translation type="unfinished">评语</translation>
    </message>
    <message>
        <source>Comment ({key})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comment; Enter or Esc goes back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Standard comments</source>
        <translation type="unfinished">常用评语</translation>
    </message>
    <message>
        <source>Open read-only: nothing can be commented</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>follow up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>binary?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>another class</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>two sources in the fibre</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lines are sky residuals</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>flux calibration is wrong in the blue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>too noisy, needs another spectrum</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Comparison</name>
    <message>
        <source>Left record</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Right record</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How sure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reasons</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ConfidenceRow</name>
    <message>
        <source>not given</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Confidence: {meaning}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Confidence {value}: {meaning}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message>
        <source>Something went wrong</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The program made a mistake</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you judged is on the disk. You can go on; if it comes again, please send us the details. They hold no keys and none of your data.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} more since, the last: {what}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Desk</name>
    <message>
        <source>This is the last one of the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is the first one of the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is on the desk to be judged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A spectrum that cannot be read cannot be judged: go on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not judged: it was not drawn yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing to undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undone: now {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing to redo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Done again: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is hidden here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blind mode: in the order of the list, which tells nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is left to judge in this list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A repeated verdict was taken back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>without a verdict</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DisagreementPage</name>
    <message>
        <source>People</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>People and agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only those not settled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Disagreements</source>
        <translation type="unfinished">分歧</translation>
    </message>
    <message>
        <source>Choose one at the left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} of them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blind mode: what agents say is not shown before you have judged.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No disagreement. Two people must have judged the same objects first: open the session under another name, or merge a colleague&apos;s.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You and the agent agree wherever both have said something.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Two models must have inspected the same objects first.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DisputeView</name>
    <message>
        <source>Spectrum</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reject</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unsure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open: people differ, and nobody has settled it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settled by the adjudicator: {verdict}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All people say: {verdict}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One person says: {verdict}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nobody has judged it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>My word no longer decides</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let my word decide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The adjudicator is {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no adjudicator</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DriftCard</name>
    <message>
        <source>In the course of time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It takes fifty verdicts of one person to see whether they stay the same.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Line: share accepted, block by block. Dashed: the agent&apos;s mean p(YES).</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DropVeil</name>
    <message>
        <source>This cannot be opened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to open the session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to begin a session with {count} files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to begin a session with the spectra in this folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to open</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ErrorSheet</name>
    <message>
        <source>What went wrong</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ExportDialog</name>
    <message>
        <source>Export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What to write</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blind mode is on: files hold the agent&apos;s opinions, too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{folder} is not a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is there already: choose another name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is there already and will be replaced</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped: nothing was written</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FileField</name>
    <message>
        <source>Choose…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose: {what}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FileList</name>
    <message>
        <source>Add…</source>
        <translation>添加…</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
</context>
<context>
    <name>FilesPage</name>
    <message>
        <source>Words and files</source>
        <translation>用语与文件</translation>
    </message>
    <message>
        <source>Standard comments</source>
        <translation>常用评语</translation>
    </message>
    <message>
        <source>Line lists (*.toml *.csv);;All files (*)</source>
        <translation>谱线表 (*.toml *.csv);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Line lists</source>
        <translation>谱线表</translation>
    </message>
    <message>
        <source>Spectra (*.fits *.fits.gz *.fit *.txt *.csv *.ecsv);;All files (*)</source>
        <translation>光谱 (*.fits *.fits.gz *.fit *.txt *.csv *.ecsv);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Templates</source>
        <translation>模板</translation>
    </message>
    <message>
        <source>Standard comments, one a line</source>
        <translation>常用评语，每行一条</translation>
    </message>
    <message>
        <source>Your line lists</source>
        <translation>您的谱线表</translation>
    </message>
    <message>
        <source>Your templates</source>
        <translation>您的模板</translation>
    </message>
</context>
<context>
    <name>FilterBar</name>
    <message>
        <source>Filter ({key})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter the list</source>
        <translation type="unfinished">筛选列表</translation>
    </message>
    <message>
        <source>For example: verdict:unjudged snr&gt;10 flag:star. Conditions side by side must all hold; or, not and brackets work as well. Enter shows what is meant.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In which order the list is walked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unjudged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>accepted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unsure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>disagree</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>flagged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>faults</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as listed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>best score</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>best S/N</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>highest p(YES)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>most uncertain</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>most surprising</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>along the sky</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>random</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FindBox</name>
    <message>
        <source>Find an object</source>
        <translation type="unfinished">查找天体</translation>
    </message>
    <message>
        <source>Find ({key})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find an object by its name, its number or its TARGETID</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The panel with the search is hidden: show it first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing in the list is called {name}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FlagMenu</name>
    <message>
        <source>{key}    Your own…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FlagRow</name>
    <message>
        <source>own flag, Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Own flag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Star</source>
        <translation type="unfinished">星标</translation>
    </message>
    <message>
        <source>Flag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open read-only: nothing can be flagged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take the flag {name} off</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>GuidelineCard</name>
    <message>
        <source>Wavelengths in Å, in vacuum, at the star&apos;s rest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Primary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Secondary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Confirming</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>States</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Taken for it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer no when</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not testable</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pitfalls</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <source>Wavelength and flux under the mouse</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SIMULATED</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} bad pixels</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>HeldPage</name>
    <message>
        <source>Only one program writes to a session at a time, so that no verdict is lost. Close it there, or look at it here without changing it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open to look at</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose another</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is open in another program</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Held by: {who}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>HistoryModel</name>
    <message>
        <source>When</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Who</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Object</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Had seen of the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comment</source>
        <translation type="unfinished">评语</translation>
    </message>
    <message>
        <source>undone, now: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>done again: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hidden in blind mode</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>HistoryPage</name>
    <message>
        <source>Nothing has been judged in this session yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>History</source>
        <translation type="unfinished">历史</translation>
    </message>
    <message>
        <source>Nothing is ever deleted: an undo is a line, too. Click to see the object.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished">撤销</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation type="unfinished">重做</translation>
    </message>
</context>
<context>
    <name>ImportPage</name>
    <message>
        <source>{name} cannot be imported as it stands</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose what you look for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>← Back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How far the import is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start judging →</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{done} of about {total} rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{done} rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What became of the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped: nothing was taken over</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ImportReportCard</name>
    <message>
        <source>List</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Row</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why it was refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rows that were refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every row was taken over.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} candidates are ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files that are not there now are looked for again when you come to them: their disk may not be mounted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rows read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>taken over</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>named before, kept once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>whose file is not there now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>without a spectrum</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refused rows: the first {shown} of {count}; the session keeps more of them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refused rows</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>InformationModel</name>
    <message>
        <source>hidden: blind mode</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>InformationPanel</name>
    <message>
        <source>Information</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing on the desk yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>more of its header</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy what is chosen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Keymap</name>
    <message>
        <source>An action has at most {count} keys: take one away first</source>
        <translation>一个操作最多有 {count} 个按键：请先去掉一个</translation>
    </message>
    <message>
        <source>{key} cannot be used</source>
        <translation>{key} 不能使用</translation>
    </message>
    <message>
        <source>{key} is taken: “{action}”. Give that another key first</source>
        <translation>{key} 已用于“{action}”，请先为它换一个按键</translation>
    </message>
</context>
<context>
    <name>KeysOverlay</name>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>Profile: {name}</source>
        <translation>方案：{name}</translation>
    </message>
    <message>
        <source>Any key puts this away. Settings, Keys changes them</source>
        <translation>按任意键关闭；可在“设置 → 按键”中修改</translation>
    </message>
</context>
<context>
    <name>KeysPage</name>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Find an action or a key</source>
        <translation>查找操作或按键</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>更改…</translation>
    </message>
    <message>
        <source>Add another…</source>
        <translation>再添加一个…</translation>
    </message>
    <message>
        <source>No key</source>
        <translation>不设按键</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>重置</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>全部重置</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Actions and their keys</source>
        <translation>操作及其按键</translation>
    </message>
    <message>
        <source>Press the key for “{action}”. Esc leaves it as it is</source>
        <translation>请按下用于“{action}”的按键，按 Esc 保持不变</translation>
    </message>
</context>
<context>
    <name>LineChoice</name>
    <message>
        <source>Those of the task</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a list…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines</source>
        <translation type="unfinished">谱线</translation>
    </message>
    <message>
        <source>Names</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Line lists (*.toml)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a list of lines</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Links</name>
    <message>
        <source>No web browser could be opened. The address is {url}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This spectrum is simulated: there is no page about it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Neither the list nor the file tells a LAMOST obsid</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no object on the desk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Neither the list nor the file tells where it is in the sky</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy range</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ListCard</name>
    <message>
        <source>{count} spectra so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>being read</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LookPage</name>
    <message>
        <source>Look</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>LAMOST white</source>
        <translation>LAMOST 白</translation>
    </message>
    <message>
        <source>{size} pt</source>
        <translation>{size} 磅</translation>
    </message>
    <message>
        <source>Colours differ in lightness, too, so that every eye can tell them apart</source>
        <translation>各颜色的明度也不同，色觉异常者同样可以分辨</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Size of text</source>
        <translation>文字大小</translation>
    </message>
    <message>
        <source>Changes at the next start</source>
        <translation>下次启动时生效</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Opening the sample</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opening {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The program ended without closing this session: here you were</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelChooser</name>
    <message>
        <source>Models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>http://host:port/v1#model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address of a server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GGUF file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model of the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Left out: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An address begins with http:// or https://</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder of a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A GGUF model</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NearbyModel</name>
    <message>
        <source>apart</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>object</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>date</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>verdict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>another epoch of the same object</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>another object nearby</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NearbyPanel</name>
    <message>
        <source>Nearby objects</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing on the desk yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The list gives no position for this object</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No other epoch and no neighbour within {radius} arcsec in this list</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>OperationPanel</name>
    <message>
        <source>Guideline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Velocity and redshift</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wavelength range</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Template</source>
        <translation type="unfinished">模板</translation>
    </message>
    <message>
        <source>Lines and bands</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Picture and pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} sets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>OpinionCard</name>
    <message>
        <source>confidence {word}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no verdict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>looks: {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hidden in blind mode until you have judged it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agent</source>
        <translation type="unfinished">智能体</translation>
    </message>
</context>
<context>
    <name>Overview</name>
    <message>
        <source>Overview of the whole spectrum</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PlotActions</name>
    <message>
        <source>There is no spectrum to take a picture of</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save a picture of the plot</source>
        <translation type="unfinished">保存光谱图</translation>
    </message>
    <message>
        <source>Saved: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Range and measurements are on the clipboard</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PreviewTable</name>
    <message>
        <source>The first rows of the list</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ProblemLine</name>
    <message>
        <source>Close this message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ProgramMark</name>
    <message>
        <source>The program&apos;s mark</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ProgressLine</name>
    <message>
        <source>Progress is not known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No candidates yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{done} done · {left} left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All {done} are judged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{seconds} s each, about {time} for what is left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a minute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} h</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ProposalButton</name>
    <message>
        <source>Reveal agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No proposal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent proposes nothing here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agent: {answer}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take the agent&apos;s proposal</source>
        <translation type="unfinished">采纳智能体的建议</translation>
    </message>
</context>
<context>
    <name>QueueModel</name>
    <message>
        <source>object</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>verdict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>S/N</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>score</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>p(YES)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>flags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>! broken</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>QueuePanel</name>
    <message>
        <source>Queue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The panel with the filter is hidden: show it first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No candidates yet: open a list (Ctrl+N)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No candidate is like that: clear the filter to see all</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RangeControl</name>
    <message>
        <source>From, Å</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To, Å</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wavelength range</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whole</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RecentList</name>
    <message>
        <source>Recent sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None yet. Sessions you work with are listed here, with how far you came.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RecentRow</name>
    <message>
        <source>Take it off this list; the file stays</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take it off this list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cannot be opened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a team&apos;s database</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{done} of {total} judged</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ReviewerName</name>
    <message>
        <source>You judge as</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your name</source>
        <translation type="unfinished">您的姓名</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change your name</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RoleBoxes</name>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SessionCard</name>
    <message>
        <source>The session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Session file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder of the spectra, if not beside the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>beside the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blind: the agent&apos;s opinion stays hidden until I judge</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Give the session file a name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is no folder</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
</context>
<context>
    <name>SettingsKeeper</name>
    <message>
        <source>Settings that cannot be used are back at their defaults ({why}). {where}</source>
        <translation>无法使用的设置已恢复默认值（{why}）。{where}</translation>
    </message>
    <message>
        <source>The old file is kept as {name}</source>
        <translation>原文件已保留为 {name}</translation>
    </message>
    <message>
        <source>The old file could not be kept</source>
        <translation>原文件未能保留</translation>
    </message>
    <message>
        <source>Settings last until the window closes: {path} cannot be written ({why})</source>
        <translation>设置只在窗口关闭前有效：无法写入 {path}（{why}）</translation>
    </message>
</context>
<context>
    <name>SmoothingControl</name>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{width} px</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{speed} km/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smooth less</source>
        <translation type="unfinished">减弱平滑</translation>
    </message>
    <message>
        <source>Smooth more</source>
        <translation type="unfinished">加强平滑</translation>
    </message>
    <message>
        <source>No smoothing</source>
        <translation type="unfinished">不平滑</translation>
    </message>
</context>
<context>
    <name>SpectrumPanel</name>
    <message>
        <source>Spectrum</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wavelength at rest (Å, vacuum)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wavelength (Å, vacuum)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Relative flux</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flux</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At {place}: {lines}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no known line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smoothed {px} px = {kms} km/s (FWHM)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No data from {lo} to {hi} Å: all of it is shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Template: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> (no overlap)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StateBlock</name>
    <message>
        <source>Nothing on the desk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open read-only: nothing can be judged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>✕ cannot be read</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>Details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What went wrong, to be copied</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TakeoverBar</name>
    <message>
        <source>A remark for the agent, then Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remark for the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show it this window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hand back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent sees the part of the spectrum that you see, before its next turn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent goes on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent reads it before its next turn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent sees this window before its next turn</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TaskChooser</name>
    <message>
        <source>What do you look for?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a class</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Class to look for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Task file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A class of your own, written down as a task file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Guideline of the class</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What decides a class is shown here, as the agent reads it, too.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TemplateChoice</name>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Simulated classes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your own</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Template</source>
        <translation type="unfinished">模板</translation>
    </message>
    <message>
        <source>Your own file, taken to be at rest or at the redshift it names</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Simulated by this program, without noise</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a template</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>Steps of the agent</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>Verdicts are kept under this name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>read-only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blind: on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blind: off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent&apos;s opinion is hidden until you have judged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent&apos;s opinion is shown. Click to hide it until you have judged</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>VelocityControl</name>
    <message>
        <source>Radial velocity, km/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redshift</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset</source>
        <translation type="unfinished">重置</translation>
    </message>
    <message>
        <source>Radial velocity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{speed} km/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{down} and {up} move it, {fine_down} and {fine_up} finely</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>VerdictBar</name>
    <message>
        <source>Accept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reject</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unsure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{key}: the same, and stay here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished">撤销</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation type="unfinished">重做</translation>
    </message>
</context>
<context>
    <name>VerdictLine</name>
    <message>
        <source>Records of this candidate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Two records side by side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the steps</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>WelcomePage</name>
    <message>
        <source>Vet candidates of rare stars by their spectra, with an agent that looks too.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try the sample</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>60 simulated candidates of cataclysmic variables</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a list</source>
        <translation type="unfinished">打开列表</translation>
    </message>
    <message>
        <source>CSV, ECSV, FITS, VOTable or Parquet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a folder of spectra</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>LAMOST, SDSS, DESI and other FITS or text spectra</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a session</source>
        <translation type="unfinished">打开会话</translation>
    </message>
    <message>
        <source>Go on where you left it, or look at a colleague&apos;s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Or drop lists, folders, spectra or a session anywhere here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Works without a network.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>WindowButtons</name>
    <message>
        <source>This spectrum does not reach “{window}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This spectrum reaches none of the diagnostic windows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>outside this spectrum</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on screen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This spectrum does not reach it.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>YouPage</name>
    <message>
        <source>You</source>
        <translation>您</translation>
    </message>
    <message>
        <source>New sessions begin in blind mode</source>
        <translation>新会话以盲评模式开始</translation>
    </message>
    <message>
        <source> arcsec</source>
        <translation> 角秒</translation>
    </message>
    <message>
        <source>Written with each of your verdicts, from the next session you open</source>
        <translation>从下次打开的会话起，随您的每个判定一并记录</translation>
    </message>
    <message>
        <source>Your name</source>
        <translation>您的姓名</translation>
    </message>
    <message>
        <source>The agent&apos;s verdict stays hidden until you have given yours</source>
        <translation>在您给出判定之前，不显示智能体的判定</translation>
    </message>
    <message>
        <source>Blind mode</source>
        <translation>盲评模式</translation>
    </message>
    <message>
        <source>Nearby objects within</source>
        <translation>邻近天体的范围</translation>
    </message>
</context>
<context>
    <name>actions</name>
    <message>
        <source>Judging</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Moving through the list</source>
        <translation>在列表中移动</translation>
    </message>
    <message>
        <source>Looking</source>
        <translation>查看</translation>
    </message>
    <message>
        <source>On the spectrum</source>
        <translation>光谱标注</translation>
    </message>
    <message>
        <source>Words and flags</source>
        <translation>评语与标记</translation>
    </message>
    <message>
        <source>The agent</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>The window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>Files and pages</source>
        <translation>文件与页面</translation>
    </message>
    <message>
        <source>Accept, go on</source>
        <translation>接受，下一个</translation>
    </message>
    <message>
        <source>Reject, go on</source>
        <translation>排除，下一个</translation>
    </message>
    <message>
        <source>Unsure, go on</source>
        <translation>存疑，下一个</translation>
    </message>
    <message>
        <source>Accept, stay</source>
        <translation>接受，停留</translation>
    </message>
    <message>
        <source>Reject, stay</source>
        <translation>排除，停留</translation>
    </message>
    <message>
        <source>Unsure, stay</source>
        <translation>存疑，停留</translation>
    </message>
    <message>
        <source>Accept with confidence 4, go on</source>
        <translation>接受（置信度 4），下一个</translation>
    </message>
    <message>
        <source>Accept with confidence 3, go on</source>
        <translation>接受（置信度 3），下一个</translation>
    </message>
    <message>
        <source>Unsure with confidence 2, go on</source>
        <translation>存疑（置信度 2），下一个</translation>
    </message>
    <message>
        <source>Unsure with confidence 1, go on</source>
        <translation>存疑（置信度 1），下一个</translation>
    </message>
    <message>
        <source>Confidence 4, sure</source>
        <translation>置信度 4，确定</translation>
    </message>
    <message>
        <source>Confidence 3</source>
        <translation>置信度 3</translation>
    </message>
    <message>
        <source>Confidence 2</source>
        <translation>置信度 2</translation>
    </message>
    <message>
        <source>Confidence 1, poor</source>
        <translation>置信度 1，较差</translation>
    </message>
    <message>
        <source>Confidence 0, none</source>
        <translation>置信度 0，无</translation>
    </message>
    <message>
        <source>Take the agent&apos;s proposal</source>
        <translation>采纳智能体的建议</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一个</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>上一个</translation>
    </message>
    <message>
        <source>Find an object</source>
        <translation>查找天体</translation>
    </message>
    <message>
        <source>Filter the list</source>
        <translation>筛选列表</translation>
    </message>
    <message>
        <source>Next diagnostic window</source>
        <translation>下一个诊断窗口</translation>
    </message>
    <message>
        <source>Previous diagnostic window</source>
        <translation>上一个诊断窗口</translation>
    </message>
    <message>
        <source>Diagnostic window of the class</source>
        <translation>该类天体的诊断窗口</translation>
    </message>
    <message>
        <source>Whole spectrum</source>
        <translation>全谱</translation>
    </message>
    <message>
        <source>Reset the view</source>
        <translation>重置视图</translation>
    </message>
    <message>
        <source>Autoscale the flux</source>
        <translation>流量自动缩放</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>缩小</translation>
    </message>
    <message>
        <source>Pan to the blue</source>
        <translation>向蓝端平移</translation>
    </message>
    <message>
        <source>Pan to the red</source>
        <translation>向红端平移</translation>
    </message>
    <message>
        <source>Peek at the whole range while held</source>
        <translation>按住时查看全谱</translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>谱线</translation>
    </message>
    <message>
        <source>Names of lines</source>
        <translation>谱线名称</translation>
    </message>
    <message>
        <source>Smooth more</source>
        <translation>加强平滑</translation>
    </message>
    <message>
        <source>Smooth less</source>
        <translation>减弱平滑</translation>
    </message>
    <message>
        <source>No smoothing</source>
        <translation>不平滑</translation>
    </message>
    <message>
        <source>Error band</source>
        <translation>误差带</translation>
    </message>
    <message>
        <source>Bad pixels, sky and air</source>
        <translation>坏像素、天光与大气吸收</translation>
    </message>
    <message>
        <source>Template</source>
        <translation>模板</translation>
    </message>
    <message>
        <source>Axis at rest</source>
        <translation>静止系波长轴</translation>
    </message>
    <message>
        <source>Velocity up</source>
        <translation>增大视向速度</translation>
    </message>
    <message>
        <source>Velocity down</source>
        <translation>减小视向速度</translation>
    </message>
    <message>
        <source>Velocity up, fine</source>
        <translation>增大视向速度（微调）</translation>
    </message>
    <message>
        <source>Velocity down, fine</source>
        <translation>减小视向速度（微调）</translation>
    </message>
    <message>
        <source>Comment</source>
        <translation>评语</translation>
    </message>
    <message>
        <source>Flags, then a letter</source>
        <translation>标记菜单，再按字母</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>星标</translation>
    </message>
    <message>
        <source>Run the agent here</source>
        <translation>对此天体运行智能体</translation>
    </message>
    <message>
        <source>Hold the agent, or let it go on</source>
        <translation>暂停或继续智能体</translation>
    </message>
    <message>
        <source>Step through its evidence</source>
        <translation>逐步查看其证据</translation>
    </message>
    <message>
        <source>Reveal the agent&apos;s verdict</source>
        <translation>显示智能体的判定</translation>
    </message>
    <message>
        <source>Run the agent over the list</source>
        <translation>对整个列表运行智能体</translation>
    </message>
    <message>
        <source>Give the plot back; stop the agent here</source>
        <translation>回到光谱图；停止此处的智能体</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation>查找命令</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>全屏</translation>
    </message>
    <message>
        <source>Panels on or off</source>
        <translation>显示或隐藏面板</translation>
    </message>
    <message>
        <source>Blind mode on or off</source>
        <translation>开启或关闭盲评模式</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Open a list</source>
        <translation>打开列表</translation>
    </message>
    <message>
        <source>Open a session</source>
        <translation>打开会话</translation>
    </message>
    <message>
        <source>Close the session</source>
        <translation>关闭会话</translation>
    </message>
    <message>
        <source>Judge</source>
        <translation>判读</translation>
    </message>
    <message>
        <source>Disagreements</source>
        <translation>分歧</translation>
    </message>
    <message>
        <source>Agreement and calibration</source>
        <translation>一致性与校准</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>Export the catalogue</source>
        <translation>导出星表</translation>
    </message>
    <message>
        <source>Write a report</source>
        <translation>撰写报告</translation>
    </message>
    <message>
        <source>Pack for a colleague</source>
        <translation>打包给同事</translation>
    </message>
    <message>
        <source>Save a picture of the plot</source>
        <translation>保存光谱图</translation>
    </message>
    <message>
        <source>Copy range and measurements</source>
        <translation>复制波长范围与测量值</translation>
    </message>
    <message>
        <source>Look it up in SIMBAD</source>
        <translation>在 SIMBAD 中查询</translation>
    </message>
    <message>
        <source>Look at its sky in Aladin</source>
        <translation>在 Aladin 中查看天区</translation>
    </message>
    <message>
        <source>Open its page at LAMOST</source>
        <translation>打开 LAMOST 页面</translation>
    </message>
    <message>
        <source>Open its page at SDSS</source>
        <translation>打开 SDSS 页面</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
</context>
<context>
    <name>agent</name>
    <message>
        <source>asks for a picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speaking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unsupported, no window was looked at: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look {n}, yours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A slip of the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Could not be shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You</source>
        <translation type="unfinished">您</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thought</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Says</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} px</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} bad</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Band heads, drop: {which}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not measured: {why}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In the way: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>emission</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>absorption</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>trained on simulations only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measurements alone, needs no model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>always there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fetched in part</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not on this machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>incomplete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its engine is not installed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is not on this machine yet. In a terminal: spec-o3 models get {name}
Or put its files into {folder}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} was fetched in part. In a terminal, to go on: spec-o3 models get {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Incomplete, {files} is missing in {folder}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Needs torch and transformers: pip install {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Needs llama.cpp: pip install {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} billion parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>answered</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>came to no answer within its turns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ran out of room for words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>was stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>broke off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no verdict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gives no p(YES)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>p(YES) {p}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mean of {n} runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>calibrated {p}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not calibrated: p(YES) orders candidates, but is no probability. The page Agreement and calibration fits it to your own verdicts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Calibrated on {n} of your verdicts, {k} of them ACCEPT</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stopping</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>held</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loading, or waiting its turn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>speaking, turn {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reading, turn {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what}, on {object}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>List: {n} inspected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>List: stopping</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>List: loading the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>List: {n} done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} without a record</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} h</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>choosing</name>
    <message>
        <source>Open a list of candidates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A folder of spectra</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a session</source>
        <translation type="unfinished">打开会话</translation>
    </message>
    <message>
        <source>Where to write</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Task files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A task file</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>dropped</name>
    <message>
        <source>Only files and folders of this computer can be opened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These are more than {count} files: give their folder instead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One session at a time, and without other files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is not there</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>export</name>
    <message>
        <source>Catalogue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agents&apos; records</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For a colleague</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One page for a browser: what was decided, how far people and agents agree, how well the agent&apos;s probabilities hold, and pictures of the evidence. It needs no other file and runs nothing. Print it from the browser for a PDF.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every inspection of every agent, step by step, as JSON lines: one line each, with what it looked at, what it said, and what was measured there. This is what models are trained and compared on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A copy of this session with all verdicts and the spectra inside, in one file. A colleague opens it without your disks, judges, and sends it back to be merged.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Written: {count} rows, {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Written: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Written: {count} records, {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Written: {count} spectra in {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>left out: {count}, the first {notes}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>flags</name>
    <message>
        <source>Redshift or velocity is doubtful</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Too noisy to tell</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sky left over, or too much taken off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bad calibration, or a step where arms join</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More than one source in the fibre</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Duplicate of another candidate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Interesting, whatever the verdict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Problem with the file</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>keys</name>
    <message>
        <source>Enter</source>
        <translation>回车</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>空格</translation>
    </message>
    <message>
        <source>Backspace</source>
        <translation>退格</translation>
    </message>
    <message>
        <source>Workbench</source>
        <translation>默认</translation>
    </message>
</context>
<context>
    <name>menus</name>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Judge</source>
        <translation type="unfinished">判读</translation>
    </message>
    <message>
        <source>Go</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Marks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agent</source>
        <translation type="unfinished">智能体</translation>
    </message>
    <message>
        <source>Window</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>place</name>
    <message>
        <source>Give the session file a name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is there already: choose another name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{folder} is not a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{folder} cannot be written: choose another</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>roles</name>
    <message>
        <source>Spectrum file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Row in the file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Object</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>RA</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dec</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Score</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Label</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>S/N</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>saved</name>
    <message>
        <source>{seconds} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undone: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Done again: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{verdict} saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comment saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flags saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Confidence saved</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>verdicts</name>
    <message>
        <source>accepted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rejected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unsure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not judged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>poor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>possible</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>probable</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sure</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
