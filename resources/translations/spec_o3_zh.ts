<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>AboutDialog</name>
    <message>
        <source>About Spec-o3 Workbench</source>
        <translation>关于 Spec-o3 Workbench</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>What the inspectors learnt from</source>
        <translation>各检视模型的学习来源</translation>
    </message>
    <message>
        <source>Version {version}</source>
        <translation>版本 {version}</translation>
    </message>
    <message>
        <source>A desk for judging spectra of candidates of rare classes, with an agent beside you that looks at each one and shows where it looked.</source>
        <translation>用于判读稀有类别候选体光谱的工作台：智能体在旁检视每一个，并显示它看了哪里。</translation>
    </message>
    <message>
        <source>What you decide is yours: no agent ever writes a verdict. Nothing leaves this computer, unless you choose a model that runs on a server.</source>
        <translation>判定由您作出：智能体绝不会写入判定。除非您选择在服务器上运行的模型，否则任何内容都不会离开本机。</translation>
    </message>
    <message>
        <source>It is no classifier to be trusted unseen. A p(YES) orders candidates; it is a probability only once it was calibrated on verdicts of yours.</source>
        <translation>它不是可以不加检验就信任的分类器。p(YES) 用于给候选体排序；只有用您的判定校准之后才是概率。</translation>
    </message>
    <message>
        <source>Simulated spectra are cleaner than the sky. How well an inspector does on them says little of your survey: judge some hundred candidates yourself, blind, then read the page Agreement and calibration.</source>
        <translation>模拟光谱比真实的天空干净。模型在其上的表现很难说明在您的巡天中如何：请先自行盲评几百个候选体，再看“一致性与校准”页面。</translation>
    </message>
    <message>
        <source>The sample is simulated, and marked so wherever it is shown.</source>
        <translation>示例数据是模拟的，凡显示之处均有标明。</translation>
    </message>
    <message>
        <source>What this is</source>
        <translation>它是什么</translation>
    </message>
    <message>
        <source>What this is not</source>
        <translation>它不是什么</translation>
    </message>
</context>
<context>
    <name>AgentFollower</name>
    <message>
        <source>The agent looks here</source>
        <translation>智能体正在看这里</translation>
    </message>
</context>
<context>
    <name>AgentHead</name>
    <message>
        <source>Model: {name}</source>
        <translation>模型：{name}</translation>
    </message>
    <message>
        <source>Hand back: the agent goes on</source>
        <translation>交还：智能体继续</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>The agent waits before its next turn</source>
        <translation>智能体在下一轮之前等待</translation>
    </message>
    <message>
        <source>Hold</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>{n} waiting</source>
        <translation>{n} 个等待中</translation>
    </message>
    <message>
        <source>loading the model</source>
        <translation>正在加载模型</translation>
    </message>
    <message>
        <source>cannot be used: {why}</source>
        <translation>无法使用：{why}</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>ready · {engine}</source>
        <translation>就绪 · {engine}</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>Choose another model</source>
        <translation>选择其他模型</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Run the agent here</source>
        <translation>对此天体运行智能体</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop the agent</source>
        <translation>停止智能体</translation>
    </message>
    <message>
        <source>Stop list</source>
        <translation>停止列表</translation>
    </message>
    <message>
        <source>Run list</source>
        <translation>运行列表</translation>
    </message>
    <message>
        <source>Run the agent over the list</source>
        <translation>对整个列表运行智能体</translation>
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
        <translation>没有候选体</translation>
    </message>
    <message>
        <source>Hidden until you judge ({key} reveals)</source>
        <translation>判定之前不显示（按 {key} 显示）</translation>
    </message>
    <message>
        <source>The agent is at work</source>
        <translation>智能体正在运行</translation>
    </message>
    <message>
        <source>Held: show it a window, tell it a word, then hand back</source>
        <translation>已暂停：可给它看一个窗口、写一句提示，然后交还</translation>
    </message>
    <message>
        <source>The agent looks at the whole spectrum</source>
        <translation>智能体正在查看全谱</translation>
    </message>
    <message>
        <source>It has looked at nothing and said nothing</source>
        <translation>它什么都没有查看，也没有说明</translation>
    </message>
    <message>
        <source>Not inspected yet ({key} runs the agent here)</source>
        <translation>尚未检视（按 {key} 运行智能体）</translation>
    </message>
</context>
<context>
    <name>AgreementPage</name>
    <message>
        <source>Kappa with 95 % interval: 0 is chance, above 0.8 two judge as one.</source>
        <translation>Kappa 系数及 95% 置信区间：0 表示与随机相当，高于 0.8 表示两者判定几乎一致。</translation>
    </message>
    <message>
        <source>Only verdicts given before anything of the agent&apos;s opinion was seen.</source>
        <translation>只计入看到智能体意见之前给出的判定。</translation>
    </message>
    <message>
        <source>Most disagreement is about noise.</source>
        <translation>分歧大多源于噪声。</translation>
    </message>
    <message>
        <source>Between people</source>
        <translation>人与人之间</translation>
    </message>
    <message>
        <source>Between people and the agent</source>
        <translation>人与智能体之间</translation>
    </message>
    <message>
        <source>Faint and bright</source>
        <translation>暗源与亮源</translation>
    </message>
    <message>
        <source>Working it out …</source>
        <translation>正在计算…</translation>
    </message>
    <message>
        <source>All people (Fleiss)</source>
        <translation>所有人（Fleiss）</translation>
    </message>
    <message>
        <source>a second time</source>
        <translation>再次判定</translation>
    </message>
    <message>
        <source>Two people must have judged the same objects first. Open the session under another name, or merge a colleague&apos;s.</source>
        <translation>需要两人判定过相同的天体。请以另一姓名打开会话，或合并同事的会话。</translation>
    </message>
    <message>
        <source>People</source>
        <translation>判定者</translation>
    </message>
    <message>
        <source>Nothing to compare yet: this needs objects that two have judged.</source>
        <translation>尚无可比较的内容：需要有两人判定过的天体。</translation>
    </message>
    <message>
        <source>Blind mode: shown when you have judged everything, or when blind mode is off.</source>
        <translation>盲评模式：全部判定完毕或关闭盲评模式后显示。</translation>
    </message>
    <message>
        <source>You must judge some objects blind that the agent has inspected: before its verdict is on screen.</source>
        <translation>您需要盲评一些智能体已检视的天体，即在其判定显示之前给出判定。</translation>
    </message>
</context>
<context>
    <name>BlindMode</name>
    <message>
        <source>Nothing is hidden here</source>
        <translation>此处没有隐藏的内容</translation>
    </message>
    <message>
        <source>It is shown again: first judge it anew</source>
        <translation>此天体正在重现：请先重新判定</translation>
    </message>
    <message>
        <source>Blind mode: a filter or order by the agent&apos;s opinion would tell it</source>
        <translation>盲评模式：按智能体的意见筛选或排序会泄露其意见</translation>
    </message>
</context>
<context>
    <name>CalibrationCard</name>
    <message>
        <source>How far p(YES) can be believed</source>
        <translation>p(YES) 的可信程度</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Reliability curve</source>
        <translation>可靠性曲线</translation>
    </message>
    <message>
        <source>Round: as the model tells it. Diamonds: calibrated, out of fold.</source>
        <translation>圆点：模型原始值。菱形：校准后（交叉验证的折外值）。</translation>
    </message>
    <message>
        <source>Fit from my verdicts</source>
        <translation>用我的判定拟合</translation>
    </message>
    <message>
        <source>Wanted precision, per cent</source>
        <translation>所需查准率（%）</translation>
    </message>
    <message>
        <source>Candidates by p(YES)</source>
        <translation>候选体的 p(YES) 分布</translation>
    </message>
    <message>
        <source>Candidates by p(YES): real ones (solid, green), others (dashed, red), not judged (dotted, grey). Heights grow as the square root of the number; the upright line is the cut.</source>
        <translation>候选体按 p(YES) 的分布：真的（绿色实线）、其他（红色虚线）、未判定（灰色点线）。高度与数目的平方根成正比；竖线为阈值。</translation>
    </message>
    <message>
        <source>Working it out …</source>
        <translation>正在计算…</translation>
    </message>
    <message>
        <source>Blind mode: shown when you have judged everything, or when blind mode is off.</source>
        <translation>盲评模式：全部判定完毕或关闭盲评模式后显示。</translation>
    </message>
    <message>
        <source>No agent has inspected anything in this session yet.</source>
        <translation>此会话中尚无智能体检视过任何天体。</translation>
    </message>
    <message>
        <source>The cut for a precision of</source>
        <translation>达到此查准率的阈值</translation>
    </message>
    <message>
        <source>p(YES) as told</source>
        <translation>模型给出的 p(YES)</translation>
    </message>
    <message>
        <source>share that is real</source>
        <translation>真候选体的比例</translation>
    </message>
    <message>
        <source>No object with a p(YES) has been judged blind yet.</source>
        <translation>有 p(YES) 的天体尚无一个经过盲评。</translation>
    </message>
    <message>
        <source>{count} judged blind, {real} of them real</source>
        <translation>盲评 {count} 个，其中 {real} 个为真</translation>
    </message>
    <message>
        <source>mean error (ECE) {error}</source>
        <translation>平均误差 (ECE) {error}</translation>
    </message>
    <message>
        <source>{error} calibrated</source>
        <translation>校准后 {error}</translation>
    </message>
    <message>
        <source>Brier score</source>
        <translation>Brier 分数</translation>
    </message>
    <message>
        <source>p(YES)</source>
        <translation>p(YES)</translation>
    </message>
    <message>
        <source>It would decide {share} of what is not judged yet.</source>
        <translation>可据此判定尚未判定者的 {share}。</translation>
    </message>
    <message>
        <source>p(YES) is calibrated on {count} of your verdicts</source>
        <translation>p(YES) 已用您的 {count} 个判定校准</translation>
    </message>
</context>
<context>
    <name>CataloguePanel</name>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>The first rows of the catalogue</source>
        <translation>星表的前几行</translation>
    </message>
    <message>
        <source>Candidates</source>
        <translation>候选体</translation>
    </message>
    <message>
        <source>Reading …</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>CSV, with units and provenance in a file beside it</source>
        <translation>CSV，单位与来源另存于同名附加文件</translation>
    </message>
    <message>
        <source>ECSV: CSV with units and provenance inside</source>
        <translation>ECSV：内含单位与来源的 CSV</translation>
    </message>
    <message>
        <source>FITS table</source>
        <translation>FITS 表</translation>
    </message>
    <message>
        <source>VOTable</source>
        <translation>VOTable</translation>
    </message>
    <message>
        <source>Parquet</source>
        <translation>Parquet</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>已接受</translation>
    </message>
    <message>
        <source>All that were judged</source>
        <translation>所有已判定的</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>As the list is filtered now</source>
        <translation>当前筛选后的列表</translation>
    </message>
    <message>
        <source>{count} rows, {columns} columns; the first:</source>
        <translation>{count} 行，{columns} 列；前几行：</translation>
    </message>
    <message>
        <source>hidden</source>
        <translation>已隐藏</translation>
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
        <translation>评语</translation>
    </message>
    <message>
        <source>Comment ({key})</source>
        <translation>评语 ({key})</translation>
    </message>
    <message>
        <source>Comment; Enter or Esc goes back</source>
        <translation>评语；按回车或 Esc 返回</translation>
    </message>
    <message>
        <source>Standard comments</source>
        <translation>常用评语</translation>
    </message>
    <message>
        <source>Open read-only: nothing can be commented</source>
        <translation>只读打开：不能填写评语</translation>
    </message>
    <message>
        <source>follow up</source>
        <translation>需后续观测</translation>
    </message>
    <message>
        <source>binary?</source>
        <translation>双星？</translation>
    </message>
    <message>
        <source>another class</source>
        <translation>其他类型</translation>
    </message>
    <message>
        <source>two sources in the fibre</source>
        <translation>光纤内有两个源</translation>
    </message>
    <message>
        <source>lines are sky residuals</source>
        <translation>谱线为天光残余</translation>
    </message>
    <message>
        <source>flux calibration is wrong in the blue</source>
        <translation>蓝端流量定标有误</translation>
    </message>
    <message>
        <source>too noisy, needs another spectrum</source>
        <translation>噪声过大，需另拍光谱</translation>
    </message>
</context>
<context>
    <name>Comparison</name>
    <message>
        <source>Left record</source>
        <translation>左侧记录</translation>
    </message>
    <message>
        <source>Right record</source>
        <translation>右侧记录</translation>
    </message>
    <message>
        <source>Use in the list</source>
        <translation>用于列表</translation>
    </message>
    <message>
        <source>The list, its filters and the proposal go by this model; pressed again: by the newest record of each object</source>
        <translation>列表、筛选与建议均以此模型的意见为准；再按一次则以每个天体的最新记录为准</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>How sure</source>
        <translation>把握</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>结束方式</translation>
    </message>
    <message>
        <source>Looks</source>
        <translation>查看</translation>
    </message>
    <message>
        <source>Reasons</source>
        <translation>理由</translation>
    </message>
</context>
<context>
    <name>ConfidenceRow</name>
    <message>
        <source>not given</source>
        <translation>未给出</translation>
    </message>
    <message>
        <source>Confidence: {meaning}</source>
        <translation>置信度：{meaning}</translation>
    </message>
    <message>
        <source>Confidence {value}: {meaning}</source>
        <translation>置信度 {value}：{meaning}</translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message>
        <source>Something went wrong</source>
        <translation>出错了</translation>
    </message>
    <message>
        <source>The program made a mistake</source>
        <translation>程序出现错误</translation>
    </message>
    <message>
        <source>What you judged is on the disk. You can go on; if it comes again, please send us the details. They stay on this computer until you do: no keys, no spectra and not your home folder&apos;s name, but they may name a file or an object.</source>
        <translation>您的判定已存盘，可以继续；若再次出现，请把详细信息发给我们。在您发送之前它只在本机：不含密钥、光谱，也不含主文件夹的名称，但可能提到某个文件或天体的名称。</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详细信息</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Open the folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>{count} more since, the last: {what}</source>
        <translation>此后又有 {count} 个，最近一个：{what}</translation>
    </message>
</context>
<context>
    <name>CurrentCandidate</name>
    <message>
        <source>This is the last one of the list</source>
        <translation>这是列表中的最后一个</translation>
    </message>
    <message>
        <source>This is the first one of the list</source>
        <translation>这是列表中的第一个</translation>
    </message>
    <message>
        <source>Nothing is on the desk to be judged</source>
        <translation>当前没有可判定的天体</translation>
    </message>
    <message>
        <source>A spectrum that cannot be read cannot be judged: go on</source>
        <translation>无法读取的光谱不能判定：请继续下一个</translation>
    </message>
    <message>
        <source>Not judged: it was not drawn yet</source>
        <translation>未判定：光谱尚未绘出</translation>
    </message>
    <message>
        <source>Nothing to undo</source>
        <translation>没有可撤销的操作</translation>
    </message>
    <message>
        <source>Undone: now {what}</source>
        <translation>已撤销：现为{what}</translation>
    </message>
    <message>
        <source>Nothing to redo</source>
        <translation>没有可重做的操作</translation>
    </message>
    <message>
        <source>Done again: {what}</source>
        <translation>已重做：{what}</translation>
    </message>
    <message>
        <source>Blind mode: in the order of the list, which tells nothing</source>
        <translation>盲评模式：按列表顺序，不透露任何信息</translation>
    </message>
    <message>
        <source>Nothing is left to judge in this list</source>
        <translation>此列表已没有待判定的天体</translation>
    </message>
    <message>
        <source>A repeated verdict was taken back</source>
        <translation>重复的判定已撤回</translation>
    </message>
    <message>
        <source>without a verdict</source>
        <translation>无判定</translation>
    </message>
</context>
<context>
    <name>DisagreementPage</name>
    <message>
        <source>People</source>
        <translation>人与人</translation>
    </message>
    <message>
        <source>People and agent</source>
        <translation>人与智能体</translation>
    </message>
    <message>
        <source>Agents</source>
        <translation>智能体之间</translation>
    </message>
    <message>
        <source>Only those not settled</source>
        <translation>只看未裁定的</translation>
    </message>
    <message>
        <source>Disagreements</source>
        <translation>分歧</translation>
    </message>
    <message>
        <source>Choose one at the left</source>
        <translation>请在左侧选择一个</translation>
    </message>
    <message>
        <source>{first} and {second} inspected {n} both: the same verdict on {alike}, opposite ones on {opposed}</source>
        <translation>{first} 与 {second} 都检视过的有 {n} 个：判定相同 {alike} 个，相反 {opposed} 个</translation>
    </message>
    <message>
        <source>The first {count}</source>
        <translation>前 {count} 个</translation>
    </message>
    <message>
        <source>{count} of them</source>
        <translation>共 {count} 个</translation>
    </message>
    <message>
        <source>Blind mode: what agents say is not shown before you have judged.</source>
        <translation>盲评模式：在您判定之前不显示智能体的意见。</translation>
    </message>
    <message>
        <source>No disagreement. Two people must have judged the same objects first: open the session under another name, or merge a colleague&apos;s.</source>
        <translation>没有分歧。需要两人判定过相同的天体：请以另一姓名打开会话，或合并同事的会话。</translation>
    </message>
    <message>
        <source>You and the agent agree wherever both have said something.</source>
        <translation>凡您与智能体都给出意见之处，两者一致。</translation>
    </message>
    <message>
        <source>Two models must have inspected the same objects first.</source>
        <translation>需要两个模型检视过相同的天体。</translation>
    </message>
    <message>
        <source>This was the last one of them</source>
        <translation>这是其中最后一个</translation>
    </message>
    <message>
        <source>This is the first one of them</source>
        <translation>这是其中第一个</translation>
    </message>
</context>
<context>
    <name>DisputeView</name>
    <message>
        <source>Spectrum</source>
        <translation>光谱</translation>
    </message>
    <message>
        <source>Accept</source>
        <translation>接受</translation>
    </message>
    <message>
        <source>Reject</source>
        <translation>排除</translation>
    </message>
    <message>
        <source>Unsure</source>
        <translation>存疑</translation>
    </message>
    <message>
        <source>Open it</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open: people differ, and nobody has settled it.</source>
        <translation>未定：判定者意见不一，尚无人裁定。</translation>
    </message>
    <message>
        <source>Settled by the adjudicator: {verdict}</source>
        <translation>裁定者已裁定：{verdict}</translation>
    </message>
    <message>
        <source>All people say: {verdict}</source>
        <translation>所有人判定：{verdict}</translation>
    </message>
    <message>
        <source>One person says: {verdict}</source>
        <translation>一人判定：{verdict}</translation>
    </message>
    <message>
        <source>Nobody has judged it.</source>
        <translation>尚无人判定。</translation>
    </message>
    <message>
        <source>My word no longer decides</source>
        <translation>不再以我的判定为准</translation>
    </message>
    <message>
        <source>Let my word decide</source>
        <translation>以我的判定为准</translation>
    </message>
    <message>
        <source>The adjudicator is {name}</source>
        <translation>裁定者：{name}</translation>
    </message>
    <message>
        <source>There is no adjudicator</source>
        <translation>没有裁定者</translation>
    </message>
</context>
<context>
    <name>DriftCard</name>
    <message>
        <source>In the course of time</source>
        <translation>随时间的变化</translation>
    </message>
    <message>
        <source>It takes fifty verdicts of one person to see whether they stay the same.</source>
        <translation>需要同一人的五十个判定，才能看出标准是否保持不变。</translation>
    </message>
    <message>
        <source>Line: share accepted, block by block. Dashed: the agent&apos;s mean p(YES).</source>
        <translation>实线：各组的接受比例。虚线：智能体 p(YES) 的平均值。</translation>
    </message>
</context>
<context>
    <name>DropVeil</name>
    <message>
        <source>This cannot be opened</source>
        <translation>无法打开</translation>
    </message>
    <message>
        <source>Drop to open the session</source>
        <translation>松开以打开会话</translation>
    </message>
    <message>
        <source>Drop to begin a session with {count} files</source>
        <translation>松开以用 {count} 个文件新建会话</translation>
    </message>
    <message>
        <source>Drop to begin a session with the spectra in this folder</source>
        <translation>松开以用此文件夹中的光谱新建会话</translation>
    </message>
    <message>
        <source>Drop to open</source>
        <translation>松开以打开</translation>
    </message>
</context>
<context>
    <name>EmptyPlotMessage</name>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Next object</source>
        <translation>下一个天体</translation>
    </message>
    <message>
        <source>Nothing to show</source>
        <translation>没有可显示的内容</translation>
    </message>
    <message>
        <source>This list is empty, or the filter leaves nothing of it.</source>
        <translation>列表为空，或筛选后没有剩余。</translation>
    </message>
    <message>
        <source>This spectrum cannot be read</source>
        <translation>此光谱无法读取</translation>
    </message>
    <message>
        <source>Reading the spectrum…</source>
        <translation>正在读取光谱…</translation>
    </message>
</context>
<context>
    <name>ErrorSheet</name>
    <message>
        <source>What went wrong</source>
        <translation>出了什么问题</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
</context>
<context>
    <name>ExportDialog</name>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>What to write</source>
        <translation>导出内容</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Blind mode is on: files hold the agent&apos;s opinions, too</source>
        <translation>盲评模式已开启：文件中也含有智能体的意见</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open the folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>{folder} is not a folder</source>
        <translation>{folder} 不是文件夹</translation>
    </message>
    <message>
        <source>{name} is there already: choose another name</source>
        <translation>{name} 已存在：请换一个名称</translation>
    </message>
    <message>
        <source>{name} is there already and will be replaced</source>
        <translation>{name} 已存在，将被替换</translation>
    </message>
    <message>
        <source>Stopped: nothing was written</source>
        <translation>已停止：没有写入任何内容</translation>
    </message>
</context>
<context>
    <name>FileField</name>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Choose: {what}</source>
        <translation>选择：{what}</translation>
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
        <translation>筛选 ({key})</translation>
    </message>
    <message>
        <source>Filter the list</source>
        <translation>筛选列表</translation>
    </message>
    <message>
        <source>For example: verdict:unjudged snr&gt;10 flag:star. Conditions side by side must all hold; or, not and brackets work as well. Enter shows what is meant.</source>
        <translation>例如：verdict:unjudged snr&gt;10 flag:star。并列的条件须同时满足，也可使用 or、not 和括号。按回车显示其含义。</translation>
    </message>
    <message>
        <source>In which order the list is walked</source>
        <translation>浏览列表的顺序</translation>
    </message>
    <message>
        <source>unjudged</source>
        <translation>未判定</translation>
    </message>
    <message>
        <source>accepted</source>
        <translation>已接受</translation>
    </message>
    <message>
        <source>unsure</source>
        <translation>存疑</translation>
    </message>
    <message>
        <source>disagree</source>
        <translation>有分歧</translation>
    </message>
    <message>
        <source>flagged</source>
        <translation>有标记</translation>
    </message>
    <message>
        <source>faults</source>
        <translation>有故障</translation>
    </message>
    <message>
        <source>as listed</source>
        <translation>列表顺序</translation>
    </message>
    <message>
        <source>best score</source>
        <translation>评分最高</translation>
    </message>
    <message>
        <source>best S/N</source>
        <translation>信噪比最高</translation>
    </message>
    <message>
        <source>highest p(YES)</source>
        <translation>p(YES) 最高</translation>
    </message>
    <message>
        <source>most uncertain</source>
        <translation>最不确定</translation>
    </message>
    <message>
        <source>most surprising</source>
        <translation>最意外</translation>
    </message>
    <message>
        <source>agents differ first</source>
        <translation>智能体有分歧者优先</translation>
    </message>
    <message>
        <source>along the sky</source>
        <translation>按天区</translation>
    </message>
    <message>
        <source>random</source>
        <translation>随机</translation>
    </message>
</context>
<context>
    <name>FindBox</name>
    <message>
        <source>Find an object</source>
        <translation>查找天体</translation>
    </message>
    <message>
        <source>Find ({key})</source>
        <translation>查找 ({key})</translation>
    </message>
    <message>
        <source>Find an object by its name, its number or its TARGETID</source>
        <translation>按名称、序号或 TARGETID 查找天体</translation>
    </message>
    <message>
        <source>Nothing in the list is called {name}</source>
        <translation>列表中没有名为 {name} 的天体</translation>
    </message>
</context>
<context>
    <name>FirstName</name>
    <message>
        <source>Welcome. Under which name shall your verdicts be kept?</source>
        <translation>欢迎。您的判定以什么姓名保存？</translation>
    </message>
    <message>
        <source>Your name goes with each of them, and stays on this computer.</source>
        <translation>姓名随每个判定一起保存，只留在本机。</translation>
    </message>
    <message>
        <source>Your name</source>
        <translation>您的姓名</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保存</translation>
    </message>
</context>
<context>
    <name>FlagMenu</name>
    <message>
        <source>{key}    Your own…</source>
        <translation>{key}    自定义…</translation>
    </message>
</context>
<context>
    <name>FlagRow</name>
    <message>
        <source>own flag, Enter</source>
        <translation>自定义标记，回车</translation>
    </message>
    <message>
        <source>Own flag</source>
        <translation>自定义标记</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>星标</translation>
    </message>
    <message>
        <source>Flag</source>
        <translation>标记</translation>
    </message>
    <message>
        <source>Flags</source>
        <translation>标记</translation>
    </message>
    <message>
        <source>Open read-only: nothing can be flagged</source>
        <translation>只读打开：不能添加标记</translation>
    </message>
    <message>
        <source>Take the flag {name} off</source>
        <translation>去掉标记“{name}”</translation>
    </message>
</context>
<context>
    <name>GuideReader</name>
    <message>
        <source>Guide</source>
        <translation>指南</translation>
    </message>
    <message>
        <source>{n} of {count}</source>
        <translation>第 {n} 处，共 {count} 处</translation>
    </message>
    <message>
        <source>not on this page</source>
        <translation>本页没有</translation>
    </message>
    <message>
        <source>Pages of the guide</source>
        <translation>指南各页</translation>
    </message>
    <message>
        <source>Find on this page (Ctrl+F)</source>
        <translation>在本页查找 (Ctrl+F)</translation>
    </message>
    <message>
        <source>Find in the guide</source>
        <translation>在指南中查找</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Back (Alt+Left)</source>
        <translation>返回 (Alt+Left)</translation>
    </message>
    <message>
        <source>Page of the guide</source>
        <translation>指南页面</translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <source>Wavelength and flux under the mouse</source>
        <translation>光标处的波长与流量</translation>
    </message>
    <message>
        <source>SIMULATED</source>
        <translation>模拟光谱</translation>
    </message>
    <message>
        <source>{n} bad pixels</source>
        <translation>{n} 个坏像素</translation>
    </message>
</context>
<context>
    <name>HistoryModel</name>
    <message>
        <source>When</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Who</source>
        <translation>判定者</translation>
    </message>
    <message>
        <source>Object</source>
        <translation>天体</translation>
    </message>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>用时（秒）</translation>
    </message>
    <message>
        <source>Had seen of the agent</source>
        <translation>已看到的智能体意见</translation>
    </message>
    <message>
        <source>Comment</source>
        <translation>评语</translation>
    </message>
    <message>
        <source>undone, now: {what}</source>
        <translation>已撤销，现为：{what}</translation>
    </message>
    <message>
        <source>done again: {what}</source>
        <translation>已重做：{what}</translation>
    </message>
    <message>
        <source>hidden in blind mode</source>
        <translation>盲评模式下隐藏</translation>
    </message>
</context>
<context>
    <name>HistoryPage</name>
    <message>
        <source>Nothing has been judged in this session yet.</source>
        <translation>此会话中尚无判定。</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>Nothing is ever deleted: an undo is a line, too. Click to see the object.</source>
        <translation>记录从不删除：撤销也记为一行。点击可查看该天体。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
</context>
<context>
    <name>ImportPage</name>
    <message>
        <source>{name} cannot be imported as it stands</source>
        <translation>{name} 无法按现状导入</translation>
    </message>
    <message>
        <source>Reading …</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>Choose what you look for</source>
        <translation>请选择要寻找的天体</translation>
    </message>
    <message>
        <source>← Back</source>
        <translation>← 返回</translation>
    </message>
    <message>
        <source>New session</source>
        <translation>新建会话</translation>
    </message>
    <message>
        <source>How far the import is</source>
        <translation>导入进度</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Start judging →</source>
        <translation>开始判读 →</translation>
    </message>
    <message>
        <source>{done} of about {total} rows</source>
        <translation>{done} 行，共约 {total} 行</translation>
    </message>
    <message>
        <source>{done} rows</source>
        <translation>{done} 行</translation>
    </message>
    <message>
        <source>What became of the list</source>
        <translation>列表导入结果</translation>
    </message>
    <message>
        <source>Stopped: nothing was taken over</source>
        <translation>已停止：没有导入任何内容</translation>
    </message>
</context>
<context>
    <name>ImportReportCard</name>
    <message>
        <source>List</source>
        <translation>列表</translation>
    </message>
    <message>
        <source>Row</source>
        <translation>行</translation>
    </message>
    <message>
        <source>Why it was refused</source>
        <translation>拒收原因</translation>
    </message>
    <message>
        <source>Rows that were refused</source>
        <translation>被拒收的行</translation>
    </message>
    <message>
        <source>Every row was taken over.</source>
        <translation>所有行均已导入。</translation>
    </message>
    <message>
        <source>{count} candidates are ready</source>
        <translation>{count} 个候选体已就绪</translation>
    </message>
    <message>
        <source>Files that are not there now are looked for again when you come to them: their disk may not be mounted.</source>
        <translation>目前找不到的文件，在您浏览到时会再次查找：其所在磁盘可能尚未挂载。</translation>
    </message>
    <message>
        <source>rows read</source>
        <translation>读取的行</translation>
    </message>
    <message>
        <source>taken over</source>
        <translation>已导入</translation>
    </message>
    <message>
        <source>named before, kept once</source>
        <translation>重复，只保留一个</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>拒收</translation>
    </message>
    <message>
        <source>whose file is not there now</source>
        <translation>目前找不到文件</translation>
    </message>
    <message>
        <source>without a spectrum</source>
        <translation>没有光谱</translation>
    </message>
    <message>
        <source>Refused rows: the first {shown} of {count}; the session keeps more of them</source>
        <translation>被拒收的行：{count} 行中的前 {shown} 行；会话中保存了更多</translation>
    </message>
    <message>
        <source>Refused rows</source>
        <translation>被拒收的行</translation>
    </message>
</context>
<context>
    <name>InformationModel</name>
    <message>
        <source>hidden: blind mode</source>
        <translation>已隐藏：盲评模式</translation>
    </message>
</context>
<context>
    <name>InformationPanel</name>
    <message>
        <source>Information</source>
        <translation>信息</translation>
    </message>
    <message>
        <source>Nothing on the desk yet</source>
        <translation>尚未打开天体</translation>
    </message>
    <message>
        <source>of the list</source>
        <translation>来自列表</translation>
    </message>
    <message>
        <source>the file</source>
        <translation>来自文件</translation>
    </message>
    <message>
        <source>more of its header</source>
        <translation>文件头的其余部分</translation>
    </message>
    <message>
        <source>Copy the value</source>
        <translation>复制该值</translation>
    </message>
    <message>
        <source>Copy what is chosen</source>
        <translation>复制所选</translation>
    </message>
    <message>
        <source>Copy all</source>
        <translation>全部复制</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
</context>
<context>
    <name>InspectionController</name>
    <message>
        <source>The agent is not at work</source>
        <translation>智能体未在运行</translation>
    </message>
    <message>
        <source>The agent is not at work here</source>
        <translation>智能体未在此天体上运行</translation>
    </message>
    <message>
        <source>What the agent saw is hidden until you have judged</source>
        <translation>在您给出判定之前，不显示智能体所见</translation>
    </message>
    <message>
        <source>The agent has looked at nothing here yet</source>
        <translation>智能体尚未查看此天体</translation>
    </message>
    <message>
        <source>This session can only be read: nothing can be kept</source>
        <translation>此会话为只读：无法保存任何内容</translation>
    </message>
    <message>
        <source>the spectrum is still being read</source>
        <translation>光谱仍在读取</translation>
    </message>
    <message>
        <source>The agent cannot look: {why}</source>
        <translation>智能体无法查看：{why}</translation>
    </message>
    <message>
        <source>The agent is at work here already</source>
        <translation>智能体已在此天体上运行</translation>
    </message>
    <message>
        <source>Enough candidates wait for the agent already</source>
        <translation>等待智能体的候选体已经够多</translation>
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
        <translation>任务所用谱线</translation>
    </message>
    <message>
        <source>Add a list…</source>
        <translation>添加谱线表…</translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>谱线</translation>
    </message>
    <message>
        <source>Names</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Line lists (*.toml)</source>
        <translation>谱线表 (*.toml)</translation>
    </message>
    <message>
        <source>Add a list of lines</source>
        <translation>添加谱线表</translation>
    </message>
</context>
<context>
    <name>Links</name>
    <message>
        <source>No web browser could be opened. The address is {url}</source>
        <translation>无法打开网页浏览器。地址为 {url}</translation>
    </message>
    <message>
        <source>This spectrum is simulated: there is no page about it</source>
        <translation>此光谱为模拟光谱：没有相应的网页</translation>
    </message>
    <message>
        <source>Neither the list nor the file tells a LAMOST obsid</source>
        <translation>列表和文件中都没有 LAMOST obsid</translation>
    </message>
    <message>
        <source>There is no object on the desk</source>
        <translation>当前没有打开的天体</translation>
    </message>
    <message>
        <source>Neither the list nor the file tells where it is in the sky</source>
        <translation>列表和文件中都没有天球坐标</translation>
    </message>
    <message>
        <source>Save picture</source>
        <translation>保存图像</translation>
    </message>
    <message>
        <source>Copy range</source>
        <translation>复制范围</translation>
    </message>
</context>
<context>
    <name>ListCard</name>
    <message>
        <source>{count} spectra so far</source>
        <translation>目前 {count} 条光谱</translation>
    </message>
    <message>
        <source>being read</source>
        <translation>正在读取</translation>
    </message>
    <message>
        <source>folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>spectrum</source>
        <translation>光谱</translation>
    </message>
    <message>
        <source>{count} rows</source>
        <translation>{count} 行</translation>
    </message>
    <message>
        <source>{count} row</source>
        <translation>{count} 行</translation>
    </message>
    <message>
        <source>{count} columns</source>
        <translation>{count} 列</translation>
    </message>
    <message>
        <source>{count} column</source>
        <translation>{count} 列</translation>
    </message>
    <message>
        <source>row {n}: {why}</source>
        <translation>第 {n} 行：{why}</translation>
    </message>
</context>
<context>
    <name>ListRunLine</name>
    <message>
        <source>Candidates of the list the agent has inspected</source>
        <translation>智能体已检视的列表候选体</translation>
    </message>
</context>
<context>
    <name>LockedPage</name>
    <message>
        <source>Only one program writes to a session at a time, so that no verdict is lost. Close it there, or look at it here without changing it.</source>
        <translation>为避免丢失判定，同一会话同时只能由一个程序写入。请在那边关闭它，或在此只读查看。</translation>
    </message>
    <message>
        <source>Open to look at</source>
        <translation>只读打开</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Choose another</source>
        <translation>另选一个</translation>
    </message>
    <message>
        <source>{name} is open in another program</source>
        <translation>{name} 已在另一个程序中打开</translation>
    </message>
    <message>
        <source>Held by: {who}</source>
        <translation>占用者：{who}</translation>
    </message>
</context>
<context>
    <name>Logo</name>
    <message>
        <source>The program&apos;s mark</source>
        <translation>程序标志</translation>
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
        <translation>正在打开示例</translation>
    </message>
    <message>
        <source>Opening {name}</source>
        <translation>正在打开 {name}</translation>
    </message>
    <message>
        <source>The program ended without closing this session: here you were</source>
        <translation>程序上次退出时未关闭此会话：已回到您当时的位置</translation>
    </message>
</context>
<context>
    <name>ModelChooser</name>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>http://host:port/v1#model</source>
        <translation>http://host:port/v1#model</translation>
    </message>
    <message>
        <source>Address of a server</source>
        <translation>服务器地址</translation>
    </message>
    <message>
        <source>Use server</source>
        <translation>使用服务器</translation>
    </message>
    <message>
        <source>Model folder</source>
        <translation>模型文件夹</translation>
    </message>
    <message>
        <source>GGUF file</source>
        <translation>GGUF 文件</translation>
    </message>
    <message>
        <source>Model of the agent</source>
        <translation>智能体的模型</translation>
    </message>
    <message>
        <source>Left out: {what}</source>
        <translation>已略去：{what}</translation>
    </message>
    <message>
        <source>An address begins with http:// or https://</source>
        <translation>地址须以 http:// 或 https:// 开头</translation>
    </message>
    <message>
        <source>Folder of a model</source>
        <translation>模型文件夹</translation>
    </message>
    <message>
        <source>A GGUF model</source>
        <translation>GGUF 模型</translation>
    </message>
</context>
<context>
    <name>NearbyModel</name>
    <message>
        <source>apart</source>
        <translation>角距</translation>
    </message>
    <message>
        <source>object</source>
        <translation>天体</translation>
    </message>
    <message>
        <source>date</source>
        <translation>日期</translation>
    </message>
    <message>
        <source>verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>another epoch of the same object</source>
        <translation>同一天体的另一历元</translation>
    </message>
    <message>
        <source>another object nearby</source>
        <translation>邻近的另一天体</translation>
    </message>
</context>
<context>
    <name>NearbyPanel</name>
    <message>
        <source>Nearby objects</source>
        <translation>邻近天体</translation>
    </message>
    <message>
        <source>Nothing on the desk yet</source>
        <translation>尚未打开天体</translation>
    </message>
    <message>
        <source>The list gives no position for this object</source>
        <translation>列表未给出此天体的坐标</translation>
    </message>
    <message>
        <source>No other epoch and no neighbour within {radius} arcsec in this list</source>
        <translation>此列表中 {radius} 角秒内没有其他历元或邻近天体</translation>
    </message>
</context>
<context>
    <name>OperationPanel</name>
    <message>
        <source>Guideline</source>
        <translation>判读准则</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>平滑</translation>
    </message>
    <message>
        <source>Velocity and redshift</source>
        <translation>视向速度与红移</translation>
    </message>
    <message>
        <source>Wavelength range</source>
        <translation>波长范围</translation>
    </message>
    <message>
        <source>Template</source>
        <translation>模板</translation>
    </message>
    <message>
        <source>Lines and bands</source>
        <translation>谱线与谱带</translation>
    </message>
    <message>
        <source>Picture and pages</source>
        <translation>图像与网页</translation>
    </message>
    <message>
        <source>{count} sets</source>
        <translation>{count} 组</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>OpinionCard</name>
    <message>
        <source>confidence {word}</source>
        <translation>置信度：{word}</translation>
    </message>
    <message>
        <source>adjudicator</source>
        <translation>裁定者</translation>
    </message>
    <message>
        <source>no verdict</source>
        <translation>无判定</translation>
    </message>
    <message>
        <source>looks: {count}</source>
        <translation>查看 {count} 次</translation>
    </message>
    <message>
        <source>Hidden in blind mode until you have judged it</source>
        <translation>盲评模式：在您判定之前隐藏</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>智能体</translation>
    </message>
</context>
<context>
    <name>Overview</name>
    <message>
        <source>Overview of the whole spectrum</source>
        <translation>全谱概览</translation>
    </message>
</context>
<context>
    <name>PlotActions</name>
    <message>
        <source>There is no spectrum to take a picture of</source>
        <translation>没有可保存图像的光谱</translation>
    </message>
    <message>
        <source>Save a picture of the plot</source>
        <translation>保存光谱图</translation>
    </message>
    <message>
        <source>Saved: {name}</source>
        <translation>已保存：{name}</translation>
    </message>
    <message>
        <source>Range and measurements are on the clipboard</source>
        <translation>波长范围与测量值已复制到剪贴板</translation>
    </message>
</context>
<context>
    <name>PreviewTable</name>
    <message>
        <source>The first rows of the list</source>
        <translation>列表的前几行</translation>
    </message>
</context>
<context>
    <name>ProblemLine</name>
    <message>
        <source>Close this message</source>
        <translation>关闭此消息</translation>
    </message>
</context>
<context>
    <name>ProgressLine</name>
    <message>
        <source>Progress is not known</source>
        <translation>进度未知</translation>
    </message>
    <message>
        <source>No candidates yet</source>
        <translation>尚无候选体</translation>
    </message>
    <message>
        <source>{done} done · {left} left</source>
        <translation>已判 {done} · 剩余 {left}</translation>
    </message>
    <message>
        <source>All {done} are judged</source>
        <translation>{done} 个已全部判定</translation>
    </message>
    <message>
        <source>{seconds} s each, about {time} for what is left</source>
        <translation>每个 {seconds} 秒，剩余约需 {time}</translation>
    </message>
    <message>
        <source>a minute</source>
        <translation>1 分钟</translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation>{n} 分钟</translation>
    </message>
    <message>
        <source>{n} h</source>
        <translation>{n} 小时</translation>
    </message>
</context>
<context>
    <name>ProposalButton</name>
    <message>
        <source>Reveal agent</source>
        <translation>显示智能体</translation>
    </message>
    <message>
        <source>No proposal</source>
        <translation>无建议</translation>
    </message>
    <message>
        <source>The agent proposes nothing here</source>
        <translation>智能体对此天体没有建议</translation>
    </message>
    <message>
        <source>Agent: {answer}</source>
        <translation>智能体：{answer}</translation>
    </message>
    <message>
        <source>Take the agent&apos;s proposal</source>
        <translation>采纳智能体的建议</translation>
    </message>
</context>
<context>
    <name>QueueModel</name>
    <message>
        <source>object</source>
        <translation>天体</translation>
    </message>
    <message>
        <source>verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>S/N</source>
        <translation>信噪比</translation>
    </message>
    <message>
        <source>score</source>
        <translation>评分</translation>
    </message>
    <message>
        <source>agent</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>p(YES)</source>
        <translation>p(YES)</translation>
    </message>
    <message>
        <source>flags</source>
        <translation>标记</translation>
    </message>
    <message>
        <source>! broken</source>
        <translation>! 损坏</translation>
    </message>
</context>
<context>
    <name>QueuePanel</name>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Hidden while objects are shown again</source>
        <translation>天体重现期间不显示</translation>
    </message>
    <message>
        <source>No candidates yet: open a list (Ctrl+N)</source>
        <translation>尚无候选体：请打开列表 (Ctrl+N)</translation>
    </message>
    <message>
        <source>No candidate is like that: clear the filter to see all</source>
        <translation>没有符合条件的候选体：清除筛选可查看全部</translation>
    </message>
</context>
<context>
    <name>RangeControl</name>
    <message>
        <source>From, Å</source>
        <translation>起，Å</translation>
    </message>
    <message>
        <source>To, Å</source>
        <translation>止，Å</translation>
    </message>
    <message>
        <source>Wavelength range</source>
        <translation>波长范围</translation>
    </message>
    <message>
        <source>Whole</source>
        <translation>全谱</translation>
    </message>
</context>
<context>
    <name>RecentList</name>
    <message>
        <source>Recent sessions</source>
        <translation>最近的会话</translation>
    </message>
    <message>
        <source>None yet. Sessions you work with are listed here, with how far you came.</source>
        <translation>暂无。您使用过的会话及其进度将列在这里。</translation>
    </message>
</context>
<context>
    <name>RecentRow</name>
    <message>
        <source>Take it off this list; the file stays</source>
        <translation>从此列表移除；文件保留</translation>
    </message>
    <message>
        <source>Take it off this list</source>
        <translation>从此列表移除</translation>
    </message>
    <message>
        <source>not there</source>
        <translation>找不到文件</translation>
    </message>
    <message>
        <source>cannot be opened</source>
        <translation>无法打开</translation>
    </message>
    <message>
        <source>a team&apos;s database</source>
        <translation>团队数据库</translation>
    </message>
    <message>
        <source>{done} of {total} judged</source>
        <translation>已判定 {done}，共 {total}</translation>
    </message>
</context>
<context>
    <name>RepeatLine</name>
    <message>
        <source>Enough</source>
        <translation>到此为止</translation>
    </message>
    <message>
        <source>Back to where you came from</source>
        <translation>回到原来的天体</translation>
    </message>
    <message>
        <source>This session can only be read: nothing can be kept</source>
        <translation>此会话为只读：无法保存任何内容</translation>
    </message>
    <message>
        <source>Nothing to show again: one in twenty of your verdicts can be, once fifty others came after it</source>
        <translation>暂无可重现的天体：您的判定中每二十个可重现一个，且其后须已有五十个其他判定</translation>
    </message>
    <message>
        <source>Shown again, {n} of {count}: judge it as if you had never seen it. Your first verdict stays.</source>
        <translation>重现第 {n} 个，共 {count} 个：请当作从未见过来判定。您先前的判定保持不变。</translation>
    </message>
    <message>
        <source>The page of agreement tells how far you agree with yourself</source>
        <translation>“一致性与校准”页面会显示您前后判定的一致程度</translation>
    </message>
</context>
<context>
    <name>ReviewerName</name>
    <message>
        <source>You judge as</source>
        <translation>判定者</translation>
    </message>
    <message>
        <source>Your name</source>
        <translation>您的姓名</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Change your name</source>
        <translation>更改您的姓名</translation>
    </message>
</context>
<context>
    <name>RoleBoxes</name>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>SessionCard</name>
    <message>
        <source>The session</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Session file</source>
        <translation>会话文件</translation>
    </message>
    <message>
        <source>Folder of the spectra, if not beside the list</source>
        <translation>光谱所在文件夹（如不与列表同处）</translation>
    </message>
    <message>
        <source>beside the list</source>
        <translation>与列表同处</translation>
    </message>
    <message>
        <source>Blind: the agent&apos;s opinion stays hidden until I judge</source>
        <translation>盲评：在我判定之前不显示智能体的意见</translation>
    </message>
    <message>
        <source>Give the session file a name</source>
        <translation>请为会话文件命名</translation>
    </message>
    <message>
        <source>This is no folder</source>
        <translation>这不是文件夹</translation>
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
    <name>SmallPlot</name>
    <message>
        <source>Agent: {label}</source>
        <translation>智能体：{label}</translation>
    </message>
</context>
<context>
    <name>SmoothingControl</name>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>{width} px</source>
        <translation>{width} 像素</translation>
    </message>
    <message>
        <source>{speed} km/s</source>
        <translation>{speed} km/s</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>Smooth less</source>
        <translation>减弱平滑</translation>
    </message>
    <message>
        <source>Smooth more</source>
        <translation>加强平滑</translation>
    </message>
    <message>
        <source>No smoothing</source>
        <translation>不平滑</translation>
    </message>
</context>
<context>
    <name>SpectrumPanel</name>
    <message>
        <source>Spectrum</source>
        <translation>光谱</translation>
    </message>
    <message>
        <source>Wavelength at rest (Å, vacuum)</source>
        <translation>静止系波长（Å，真空）</translation>
    </message>
    <message>
        <source>Wavelength (Å, vacuum)</source>
        <translation>波长（Å，真空）</translation>
    </message>
    <message>
        <source>Relative flux</source>
        <translation>相对流量</translation>
    </message>
    <message>
        <source>Flux</source>
        <translation>流量</translation>
    </message>
    <message>
        <source>At {place}: {lines}</source>
        <translation>{place} 处：{lines}</translation>
    </message>
    <message>
        <source>no known line</source>
        <translation>无已知谱线</translation>
    </message>
    <message>
        <source>Smoothed {px} px = {kms} km/s (FWHM)</source>
        <translation>平滑 {px} 像素 = {kms} km/s (FWHM)</translation>
    </message>
    <message>
        <source>No data from {lo} to {hi} Å: all of it is shown</source>
        <translation>{lo} 至 {hi} Å 无数据：显示全谱</translation>
    </message>
    <message>
        <source>Template: {name}</source>
        <translation>模板：{name}</translation>
    </message>
    <message>
        <source> (no overlap)</source>
        <translation> （无重叠）</translation>
    </message>
</context>
<context>
    <name>StateBlock</name>
    <message>
        <source>Nothing on the desk</source>
        <translation>未打开天体</translation>
    </message>
    <message>
        <source>Open read-only: nothing can be judged</source>
        <translation>只读打开：不能判定</translation>
    </message>
    <message>
        <source>✕ cannot be read</source>
        <translation>✕ 无法读取</translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>Details</source>
        <translation>详细信息</translation>
    </message>
    <message>
        <source>What went wrong, to be copied</source>
        <translation>错误详情，可复制</translation>
    </message>
    <message>
        <source>Agent: {what}</source>
        <translation>智能体：{what}</translation>
    </message>
</context>
<context>
    <name>StepCard</name>
    <message>
        <source>Copy the text</source>
        <translation>复制文字</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>展开</translation>
    </message>
    <message>
        <source>Show less</source>
        <translation>收起</translation>
    </message>
    <message>
        <source>Go on from here</source>
        <translation>从此处继续</translation>
    </message>
    <message>
        <source>picture</source>
        <translation>图像</translation>
    </message>
</context>
<context>
    <name>TakeoverBar</name>
    <message>
        <source>A remark for the agent, then Enter</source>
        <translation>给智能体的提示，按回车发送</translation>
    </message>
    <message>
        <source>Remark for the agent</source>
        <translation>给智能体的提示</translation>
    </message>
    <message>
        <source>Show it this window</source>
        <translation>展示此窗口</translation>
    </message>
    <message>
        <source>Hand back</source>
        <translation>交还</translation>
    </message>
    <message>
        <source>The agent sees the part of the spectrum that you see, before its next turn</source>
        <translation>智能体将在下一轮之前看到您所见的这段光谱</translation>
    </message>
    <message>
        <source>The agent goes on</source>
        <translation>智能体继续</translation>
    </message>
    <message>
        <source>The agent reads it before its next turn</source>
        <translation>智能体将在下一轮之前读到</translation>
    </message>
    <message>
        <source>The agent sees this window before its next turn</source>
        <translation>智能体将在下一轮之前看到此窗口</translation>
    </message>
</context>
<context>
    <name>TaskChooser</name>
    <message>
        <source>What do you look for?</source>
        <translation>您要寻找哪类天体？</translation>
    </message>
    <message>
        <source>Choose a class</source>
        <translation>选择类型</translation>
    </message>
    <message>
        <source>Class to look for</source>
        <translation>要寻找的类型</translation>
    </message>
    <message>
        <source>Task file…</source>
        <translation>任务文件…</translation>
    </message>
    <message>
        <source>A class of your own, written down as a task file</source>
        <translation>以任务文件写成的自定义类型</translation>
    </message>
    <message>
        <source>Guideline of the class</source>
        <translation>该类型的判读准则</translation>
    </message>
    <message>
        <source>What decides a class is shown here, as the agent reads it, too.</source>
        <translation>此处显示判定该类型的依据，智能体读到的与此相同。</translation>
    </message>
</context>
<context>
    <name>TemplateChoice</name>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Simulated classes</source>
        <translation>模拟的类型</translation>
    </message>
    <message>
        <source>Your own</source>
        <translation>自定义</translation>
    </message>
    <message>
        <source>Add a file…</source>
        <translation>添加文件…</translation>
    </message>
    <message>
        <source>Template</source>
        <translation>模板</translation>
    </message>
    <message>
        <source>Your own file, taken to be at rest or at the redshift it names</source>
        <translation>您的文件，视为处于静止系或其自带的红移</translation>
    </message>
    <message>
        <source>Simulated by this program, without noise</source>
        <translation>由本程序模拟，不含噪声</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Add a template</source>
        <translation>添加模板</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>Steps of the agent</source>
        <translation>智能体的步骤</translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Verdicts are kept under this name</source>
        <translation>判定以此姓名保存</translation>
    </message>
    <message>
        <source>read-only</source>
        <translation>只读</translation>
    </message>
    <message>
        <source>Blind: on</source>
        <translation>盲评：开</translation>
    </message>
    <message>
        <source>Blind: off</source>
        <translation>盲评：关</translation>
    </message>
    <message>
        <source>The agent&apos;s opinion is hidden until you have judged</source>
        <translation>在您判定之前不显示智能体的意见</translation>
    </message>
    <message>
        <source>The agent&apos;s opinion is shown. Click to hide it until you have judged</source>
        <translation>当前显示智能体的意见。点击后在您判定之前隐藏</translation>
    </message>
</context>
<context>
    <name>TourBubble</name>
    <message>
        <source>{number} of {count}</source>
        <translation>第 {number} 步，共 {count} 步</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>End the tour</source>
        <translation>结束导览</translation>
    </message>
    <message>
        <source>Tour: {title}</source>
        <translation>导览：{title}</translation>
    </message>
</context>
<context>
    <name>VelocityControl</name>
    <message>
        <source>Radial velocity, km/s</source>
        <translation>视向速度，km/s</translation>
    </message>
    <message>
        <source>Redshift</source>
        <translation>红移</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>重置</translation>
    </message>
    <message>
        <source>Radial velocity</source>
        <translation>视向速度</translation>
    </message>
    <message>
        <source>{speed} km/s</source>
        <translation>{speed} km/s</translation>
    </message>
    <message>
        <source>{down} and {up} move it, {fine_down} and {fine_up} finely</source>
        <translation>{down} 和 {up} 调节，{fine_down} 和 {fine_up} 微调</translation>
    </message>
</context>
<context>
    <name>VerdictBar</name>
    <message>
        <source>Accept</source>
        <translation>接受</translation>
    </message>
    <message>
        <source>Reject</source>
        <translation>排除</translation>
    </message>
    <message>
        <source>Unsure</source>
        <translation>存疑</translation>
    </message>
    <message>
        <source>{key}: the same, and stay here</source>
        <translation>{key}：同样判定，但停留在此</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
</context>
<context>
    <name>VerdictCommands</name>
    <message>
        <source>Blind mode: judge it yourself, or reveal the agent&apos;s verdict</source>
        <translation>盲评模式：请自行判定，或显示智能体的判定</translation>
    </message>
    <message>
        <source>The agent proposes nothing here</source>
        <translation>智能体对此天体没有建议</translation>
    </message>
    <message>
        <source>Blind mode is on: the agent&apos;s opinion stays hidden until you have judged</source>
        <translation>盲评模式已开启：在您给出判定之前，不显示智能体的意见</translation>
    </message>
    <message>
        <source>Blind mode is off</source>
        <translation>盲评模式已关闭</translation>
    </message>
</context>
<context>
    <name>VerdictLine</name>
    <message>
        <source>Records of this candidate</source>
        <translation>此候选体的记录</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Two records side by side</source>
        <translation>并排比较两个记录</translation>
    </message>
    <message>
        <source>Back to the steps</source>
        <translation>返回步骤</translation>
    </message>
</context>
<context>
    <name>WelcomePage</name>
    <message>
        <source>Vet candidates of rare stars by their spectra, with an agent that looks too.</source>
        <translation>依据光谱审核稀有恒星候选体，智能体与您一同查看。</translation>
    </message>
    <message>
        <source>Try the sample</source>
        <translation>试用示例</translation>
    </message>
    <message>
        <source>What this is, and what it is not</source>
        <translation>它是什么，不是什么</translation>
    </message>
    <message>
        <source>60 simulated candidates of cataclysmic variables</source>
        <translation>60 个模拟的激变变星候选体</translation>
    </message>
    <message>
        <source>Open a list</source>
        <translation>打开列表</translation>
    </message>
    <message>
        <source>CSV, ECSV, FITS, VOTable or Parquet</source>
        <translation>CSV、ECSV、FITS、VOTable 或 Parquet</translation>
    </message>
    <message>
        <source>Open a folder of spectra</source>
        <translation>打开光谱文件夹</translation>
    </message>
    <message>
        <source>LAMOST, SDSS, DESI and other FITS or text spectra</source>
        <translation>LAMOST、SDSS、DESI 及其他 FITS 或文本光谱</translation>
    </message>
    <message>
        <source>Open a session</source>
        <translation>打开会话</translation>
    </message>
    <message>
        <source>Go on where you left it, or look at a colleague&apos;s</source>
        <translation>从上次停下处继续，或查看同事的会话</translation>
    </message>
    <message>
        <source>Or drop lists, folders, spectra or a session anywhere here.</source>
        <translation>也可将列表、文件夹、光谱或会话拖放到此处任意位置。</translation>
    </message>
    <message>
        <source>Works without a network.</source>
        <translation>无需联网。</translation>
    </message>
    <message>
        <source>60 simulated candidates, and a tour of five stops</source>
        <translation>60 个模拟候选体，附五步导览</translation>
    </message>
</context>
<context>
    <name>WindowButtons</name>
    <message>
        <source>This spectrum does not reach “{window}”</source>
        <translation>此光谱未覆盖“{window}”</translation>
    </message>
    <message>
        <source>This spectrum reaches none of the diagnostic windows</source>
        <translation>此光谱未覆盖任何诊断窗口</translation>
    </message>
    <message>
        <source>outside this spectrum</source>
        <translation>超出此光谱</translation>
    </message>
    <message>
        <source>on screen</source>
        <translation>正在显示</translation>
    </message>
    <message>
        <source>Mimics</source>
        <translation>易混淆者</translation>
    </message>
    <message>
        <source>This spectrum does not reach it.</source>
        <translation>此光谱未覆盖该窗口。</translation>
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
        <source>The agent&apos;s verdict stays hidden until you have given yours. A session that is open has its own button at the top.</source>
        <translation>在您给出判定之前，不显示智能体的判定。已打开的会话可用窗口上方的按钮切换。</translation>
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
    <name>about</name>
    <message>
        <source>measurements and rules, no model</source>
        <translation>测量与规则，不用模型</translation>
    </message>
    <message>
        <source>Its rules are written by hand. How much each of them counts was fitted on simulated spectra alone; strengths of bands in those were taken from observed atlas stars.</source>
        <translation>规则由人编写。各规则的权重只用模拟光谱拟合；模拟中分子带的强度取自实测的图谱恒星。</translation>
    </message>
    <message>
        <source>Its card does not say what it was trained on.</source>
        <translation>其说明卡未写明训练数据。</translation>
    </message>
    <message>
        <source>simulated spectra only</source>
        <translation>仅模拟光谱</translation>
    </message>
    <message>
        <source>not on this machine</source>
        <translation>不在本机</translation>
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
        <source>Show some of yours again, blind</source>
        <translation>重现部分已判定的天体（盲评）</translation>
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
        <source>Guide</source>
        <translation>指南</translation>
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
        <source>Take the tour</source>
        <translation>开始导览</translation>
    </message>
    <message>
        <source>About</source>
        <translation>关于</translation>
    </message>
    <message>
        <source>Open the folder of crash reports</source>
        <translation>打开崩溃报告文件夹</translation>
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
        <source>The whole spectrum</source>
        <translation>整条光谱</translation>
    </message>
    <message>
        <source>asks for a picture</source>
        <translation>请求图像</translation>
    </message>
    <message>
        <source>Speaking</source>
        <translation>正在说明</translation>
    </message>
    <message>
        <source>Unsupported, no window was looked at: {what}</source>
        <translation>缺乏依据，未查看相应窗口：{what}</translation>
    </message>
    <message>
        <source>Look {n}</source>
        <translation>第 {n} 次查看</translation>
    </message>
    <message>
        <source>Look {n}, yours</source>
        <translation>第 {n} 次查看（您的）</translation>
    </message>
    <message>
        <source>A slip of the agent</source>
        <translation>智能体失误</translation>
    </message>
    <message>
        <source>Could not be shown</source>
        <translation>无法展示</translation>
    </message>
    <message>
        <source>You</source>
        <translation>您</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Thought</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Says</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>测量</translation>
    </message>
    <message>
        <source>{n} px</source>
        <translation>{n} 像素</translation>
    </message>
    <message>
        <source>{n} bad</source>
        <translation>{n} 个坏像素</translation>
    </message>
    <message>
        <source>Band heads, drop: {which}</source>
        <translation>带头，落差：{which}</translation>
    </message>
    <message>
        <source>Not measured: {why}</source>
        <translation>未测量：{why}</translation>
    </message>
    <message>
        <source>In the way: {what}</source>
        <translation>干扰：{what}</translation>
    </message>
    <message>
        <source>emission</source>
        <translation>发射</translation>
    </message>
    <message>
        <source>absorption</source>
        <translation>吸收</translation>
    </message>
    <message>
        <source>trained on simulations only</source>
        <translation>仅用模拟数据训练</translation>
    </message>
    <message>
        <source>Measurements alone, needs no model</source>
        <translation>仅凭测量，无需模型</translation>
    </message>
    <message>
        <source>weights fitted on simulations only</source>
        <translation>权重仅由模拟光谱拟合</translation>
    </message>
    <message>
        <source>always there</source>
        <translation>始终可用</translation>
    </message>
    <message>
        <source>not found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>fetched in part</source>
        <translation>未下载完</translation>
    </message>
    <message>
        <source>not on this machine</source>
        <translation>不在本机</translation>
    </message>
    <message>
        <source>incomplete</source>
        <translation>不完整</translation>
    </message>
    <message>
        <source>its engine is not installed</source>
        <translation>未安装其推理引擎</translation>
    </message>
    <message>
        <source>a server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>{name} is not on this machine yet. In a terminal: spec-o3 models get {name}
Or put its files into {folder}</source>
        <translation>本机尚无 {name}。请在终端运行：spec-o3 models get {name}
或将其文件放入 {folder}</translation>
    </message>
    <message>
        <source>{name} was fetched in part. In a terminal, to go on: spec-o3 models get {name}</source>
        <translation>{name} 未下载完。请在终端运行以继续：spec-o3 models get {name}</translation>
    </message>
    <message>
        <source>Incomplete, {files} is missing in {folder}</source>
        <translation>不完整：{folder} 中缺少 {files}</translation>
    </message>
    <message>
        <source>Needs torch and transformers: pip install {what}</source>
        <translation>需要 torch 和 transformers：pip install {what}</translation>
    </message>
    <message>
        <source>Needs llama.cpp: pip install {what}</source>
        <translation>需要 llama.cpp：pip install {what}</translation>
    </message>
    <message>
        <source>{n} billion parameters</source>
        <translation>{n}B 参数</translation>
    </message>
    <message>
        <source>answered</source>
        <translation>已作答</translation>
    </message>
    <message>
        <source>came to no answer within its turns</source>
        <translation>在限定轮数内没有结论</translation>
    </message>
    <message>
        <source>ran out of room for words</source>
        <translation>输出长度已用尽</translation>
    </message>
    <message>
        <source>was stopped</source>
        <translation>被停止</translation>
    </message>
    <message>
        <source>broke off</source>
        <translation>中断</translation>
    </message>
    <message>
        <source>no verdict</source>
        <translation>无判定</translation>
    </message>
    <message>
        <source>gives no p(YES)</source>
        <translation>未给出 p(YES)</translation>
    </message>
    <message>
        <source>p(YES) {p}</source>
        <translation>p(YES) {p}</translation>
    </message>
    <message>
        <source>mean of {n} runs</source>
        <translation>{n} 次运行的平均</translation>
    </message>
    <message>
        <source>not calibrated</source>
        <translation>未校准</translation>
    </message>
    <message>
        <source>calibrated {p}</source>
        <translation>校准后 {p}</translation>
    </message>
    <message>
        <source>Not calibrated: p(YES) orders candidates, but is no probability. The page Agreement and calibration fits it to your own verdicts.</source>
        <translation>未校准：p(YES) 可用于候选体排序，但不是概率。“一致性与校准”页面可用您的判定来拟合。</translation>
    </message>
    <message>
        <source>Calibrated on {n} of your verdicts, {k} of them ACCEPT</source>
        <translation>已用您的 {n} 个判定校准，其中 {k} 个为 ACCEPT</translation>
    </message>
    <message>
        <source>stopping</source>
        <translation>正在停止</translation>
    </message>
    <message>
        <source>held</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>loading, or waiting its turn</source>
        <translation>正在加载或排队</translation>
    </message>
    <message>
        <source>speaking, turn {n}</source>
        <translation>说明中，第 {n} 轮</translation>
    </message>
    <message>
        <source>reading, turn {n}</source>
        <translation>读取中，第 {n} 轮</translation>
    </message>
    <message>
        <source>{what}, on {object}</source>
        <translation>{what}，天体 {object}</translation>
    </message>
    <message>
        <source>List: {n} inspected</source>
        <translation>列表：已检视 {n} 个</translation>
    </message>
    <message>
        <source>List: stopping</source>
        <translation>列表：正在停止</translation>
    </message>
    <message>
        <source>List: loading the model</source>
        <translation>列表：正在加载模型</translation>
    </message>
    <message>
        <source>List: {n} done</source>
        <translation>列表：完成 {n} 个</translation>
    </message>
    <message>
        <source>{n} left</source>
        <translation>剩余 {n} 个</translation>
    </message>
    <message>
        <source>{n} without a record</source>
        <translation>{n} 个无记录</translation>
    </message>
    <message>
        <source>{n}/s</source>
        <translation>每秒 {n} 个</translation>
    </message>
    <message>
        <source>{n}/min</source>
        <translation>每分钟 {n} 个</translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation>{n} 秒</translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation>{n} 分钟</translation>
    </message>
    <message>
        <source>{n} h</source>
        <translation>{n} 小时</translation>
    </message>
    <message>
        <source>the spectrum has changed since: its pictures are not shown</source>
        <translation>光谱此后已有变动：不显示其图片</translation>
    </message>
    <message>
        <source>a picture comes out different from what the model saw</source>
        <translation>重绘的图片与模型所见不同</translation>
    </message>
</context>
<context>
    <name>choosing</name>
    <message>
        <source>Open a list of candidates</source>
        <translation>打开候选体列表</translation>
    </message>
    <message>
        <source>A folder of spectra</source>
        <translation>光谱文件夹</translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Open a session</source>
        <translation>打开会话</translation>
    </message>
    <message>
        <source>Where to write</source>
        <translation>写入位置</translation>
    </message>
    <message>
        <source>Task files</source>
        <translation>任务文件</translation>
    </message>
    <message>
        <source>A task file</source>
        <translation>任务文件</translation>
    </message>
</context>
<context>
    <name>crash</name>
    <message>
        <source>The reports are in {folder}</source>
        <translation>报告位于 {folder}</translation>
    </message>
    <message>
        <source>The program broke down the last time. A report of it lies in the folder of crash reports: menu Window</source>
        <translation>程序上次意外终止。报告在崩溃报告文件夹中，见“窗口”菜单</translation>
    </message>
</context>
<context>
    <name>dropped</name>
    <message>
        <source>Only files and folders of this computer can be opened</source>
        <translation>只能打开本机的文件和文件夹</translation>
    </message>
    <message>
        <source>These are more than {count} files: give their folder instead</source>
        <translation>文件超过 {count} 个：请改为拖入其文件夹</translation>
    </message>
    <message>
        <source>One session at a time, and without other files</source>
        <translation>一次只能打开一个会话，且不能同时拖入其他文件</translation>
    </message>
    <message>
        <source>{name} is not there</source>
        <translation>找不到 {name}</translation>
    </message>
</context>
<context>
    <name>export</name>
    <message>
        <source>Catalogue</source>
        <translation>星表</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>报告</translation>
    </message>
    <message>
        <source>Agents&apos; records</source>
        <translation>智能体记录</translation>
    </message>
    <message>
        <source>For a colleague</source>
        <translation>给同事</translation>
    </message>
    <message>
        <source>One page for a browser: what was decided, how far people and agents agree, how well the agent&apos;s probabilities hold, and pictures of the evidence. It needs no other file and runs nothing. Print it from the browser for a PDF.</source>
        <translation>供浏览器查看的单页报告：判定结果、人与智能体的一致程度、智能体概率的可靠性以及证据图像。不依赖其他文件，也不运行任何代码。可用浏览器打印为 PDF。</translation>
    </message>
    <message>
        <source>Every inspection of every agent, step by step, as JSON lines: one line each, with what it looked at, what it said, and what was measured there. This is what models are trained and compared on.</source>
        <translation>各智能体的每次检视，逐步记录为 JSON 行格式：每次一行，包括查看了什么、说了什么、测得了什么。可用于训练和比较模型。</translation>
    </message>
    <message>
        <source>A copy of this session with all verdicts and the spectra inside, in one file. A colleague opens it without your disks, judges, and sends it back to be merged.</source>
        <translation>此会话的副本，所有判定与光谱均在一个文件中。同事无需您的磁盘即可打开、判定，再发回合并。</translation>
    </message>
    <message>
        <source>Written: {count} rows, {name}</source>
        <translation>已写入 {count} 行：{name}</translation>
    </message>
    <message>
        <source>Written: {name}</source>
        <translation>已写入：{name}</translation>
    </message>
    <message>
        <source>Written: {count} records, {name}</source>
        <translation>已写入 {count} 条记录：{name}</translation>
    </message>
    <message>
        <source>Written: {count} spectra in {name}</source>
        <translation>已写入 {count} 条光谱：{name}</translation>
    </message>
    <message>
        <source>left out: {count}, the first {notes}</source>
        <translation>略去 {count} 项，前几项为 {notes}</translation>
    </message>
    <message>
        <source>the session is damaged: its lists do not name their columns</source>
        <translation>会话已损坏：其列表没有列名</translation>
    </message>
</context>
<context>
    <name>flags</name>
    <message>
        <source>Redshift or velocity is doubtful</source>
        <translation>红移或视向速度可疑</translation>
    </message>
    <message>
        <source>Too noisy to tell</source>
        <translation>噪声过大，无法判断</translation>
    </message>
    <message>
        <source>Sky left over, or too much taken off</source>
        <translation>天光残余或扣除过度</translation>
    </message>
    <message>
        <source>Bad calibration, or a step where arms join</source>
        <translation>定标不良或红蓝臂拼接处有台阶</translation>
    </message>
    <message>
        <source>More than one source in the fibre</source>
        <translation>光纤内不止一个源</translation>
    </message>
    <message>
        <source>Duplicate of another candidate</source>
        <translation>与另一候选体重复</translation>
    </message>
    <message>
        <source>Interesting, whatever the verdict</source>
        <translation>无论判定如何，值得关注</translation>
    </message>
    <message>
        <source>Problem with the file</source>
        <translation>文件有问题</translation>
    </message>
</context>
<context>
    <name>guideline</name>
    <message>
        <source>Primary</source>
        <translation>主要判据</translation>
    </message>
    <message>
        <source>Secondary</source>
        <translation>次要判据</translation>
    </message>
    <message>
        <source>Confirming</source>
        <translation>确认判据</translation>
    </message>
    <message>
        <source>States</source>
        <translation>不同状态</translation>
    </message>
    <message>
        <source>Taken for it</source>
        <translation>易混淆天体</translation>
    </message>
    <message>
        <source>Answer no when</source>
        <translation>何时应判否</translation>
    </message>
    <message>
        <source>Not testable</source>
        <translation>无法检验</translation>
    </message>
    <message>
        <source>Pitfalls</source>
        <translation>常见误区</translation>
    </message>
    <message>
        <source>{name}: {text}</source>
        <translation>{name}：{text}</translation>
    </message>
    <message>
        <source>Wavelengths in Å, in vacuum, at the star&apos;s rest</source>
        <translation>波长单位 Å，真空值，恒星静止系</translation>
    </message>
</context>
<context>
    <name>information</name>
    <message>
        <source>survey</source>
        <translation>巡天</translation>
    </message>
    <message>
        <source>{low} to {high} Å, {count} px</source>
        <translation>{low} 至 {high} Å，{count} 像素</translation>
    </message>
    <message>
        <source>range</source>
        <translation>波长范围</translation>
    </message>
    <message>
        <source>bad pixels</source>
        <translation>坏像素</translation>
    </message>
    <message>
        <source>simulated</source>
        <translation>模拟光谱</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>path</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>row</source>
        <translation>行</translation>
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
    <name>language</name>
    <message>
        <source>en</source>
        <translation>zh</translation>
    </message>
</context>
<context>
    <name>menus</name>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Judge</source>
        <translation>判读</translation>
    </message>
    <message>
        <source>Go</source>
        <translation>移动</translation>
    </message>
    <message>
        <source>View</source>
        <translation>查看</translation>
    </message>
    <message>
        <source>Marks</source>
        <translation>标注</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>评语</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
</context>
<context>
    <name>place</name>
    <message>
        <source>Give the session file a name</source>
        <translation>请为会话文件命名</translation>
    </message>
    <message>
        <source>{name} is there already: choose another name</source>
        <translation>{name} 已存在：请换一个名称</translation>
    </message>
    <message>
        <source>{folder} is not a folder</source>
        <translation>{folder} 不是文件夹</translation>
    </message>
    <message>
        <source>{folder} cannot be written: choose another</source>
        <translation>{folder} 无法写入：请另选一个</translation>
    </message>
</context>
<context>
    <name>roles</name>
    <message>
        <source>Spectrum file</source>
        <translation>光谱文件</translation>
    </message>
    <message>
        <source>Row in the file</source>
        <translation>文件中的行</translation>
    </message>
    <message>
        <source>Object</source>
        <translation>天体</translation>
    </message>
    <message>
        <source>RA</source>
        <translation>赤经</translation>
    </message>
    <message>
        <source>Dec</source>
        <translation>赤纬</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>评分</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>S/N</source>
        <translation>信噪比</translation>
    </message>
</context>
<context>
    <name>saved</name>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} 秒</translation>
    </message>
    <message>
        <source>Undone: {what}</source>
        <translation>已撤销：{what}</translation>
    </message>
    <message>
        <source>Done again: {what}</source>
        <translation>已重做：{what}</translation>
    </message>
    <message>
        <source>{verdict} saved</source>
        <translation>{verdict} 已保存</translation>
    </message>
    <message>
        <source>Comment saved</source>
        <translation>评语已保存</translation>
    </message>
    <message>
        <source>Flags saved</source>
        <translation>标记已保存</translation>
    </message>
    <message>
        <source>Confidence saved</source>
        <translation>置信度已保存</translation>
    </message>
</context>
<context>
    <name>sentences</name>
    <message>
        <source>Calibrated with a straight line on {n} of your verdicts, {k} of them ACCEPT.</source>
        <translation>已用您的 {n} 个判定以直线校准，其中 {k} 个为 ACCEPT。</translation>
    </message>
    <message>
        <source>Calibrated with a rising curve on {n} of your verdicts, {k} of them ACCEPT.</source>
        <translation>已用您的 {n} 个判定以单调曲线校准，其中 {k} 个为 ACCEPT。</translation>
    </message>
    <message>
        <source>Not calibrated: p(YES) ranks, but is no probability.</source>
        <translation>未校准：p(YES) 只能用于排序，不是概率。</translation>
    </message>
    <message>
        <source>There are verdicts enough to fit.</source>
        <translation>判定数已足够拟合。</translation>
    </message>
    <message>
        <source>You have {accept} ACCEPT and {reject} REJECT; {more} are needed.</source>
        <translation>您已有 {accept} 个 ACCEPT 和 {reject} 个 REJECT，还需要 {more}。</translation>
    </message>
    <message>
        <source>Every object with a p(YES) is judged: nothing is left to decide.</source>
        <translation>有 p(YES) 的天体均已判定，没有需要决定的了。</translation>
    </message>
    <message>
        <source>Above the cut the judged objects are unlike the others: judge some of those at random before you rely on it.</source>
        <translation>阈值以上已判定的天体与其余的分布不同：在依据此阈值之前，请先随机判定其中一些。</translation>
    </message>
    <message>
        <source>The share accepted is not steady: {first} at first, {last} now, from {low} to {high} over all, and agreement with the agent has changed, too: look at some again.</source>
        <translation>接受比例不稳定：起初 {first}，现在 {last}，全程在 {low} 与 {high} 之间；与智能体的一致性也有变化，请重看其中一些。</translation>
    </message>
    <message>
        <source>The share accepted is not steady: {first} at first, {last} now, from {low} to {high} over all; agreement with the agent is as before, so it may be the list.</source>
        <translation>接受比例不稳定：起初 {first}，现在 {last}，全程在 {low} 与 {high} 之间；与智能体的一致性没有变化，可能是列表本身的缘故。</translation>
    </message>
    <message>
        <source>The share accepted is not steady: {first} at first, {last} now, from {low} to {high} over all: objects shown again would tell whether it is the list or the person.</source>
        <translation>接受比例不稳定：起初 {first}，现在 {last}，全程在 {low} 与 {high} 之间；重现部分天体即可看出原因在列表还是在判定者。</translation>
    </message>
    <message>
        <source>{value} ({low} to {high})</source>
        <translation>{value}（{low} 至 {high}）</translation>
    </message>
    <message>
        <source>{first} {second}</source>
        <translation>{first}{second}</translation>
    </message>
    <message>
        <source>{n} more ACCEPT</source>
        <translation>{n} 个 ACCEPT</translation>
    </message>
    <message>
        <source>{n} more REJECT</source>
        <translation>{n} 个 REJECT</translation>
    </message>
    <message>
        <source>{accept} and {reject}</source>
        <translation>{accept} 和 {reject}</translation>
    </message>
    <message>
        <source>{n} more verdicts</source>
        <translation>{n} 个判定</translation>
    </message>
    <message>
        <source>{n} more verdicts, among them at least {kinds}</source>
        <translation>{n} 个判定，其中至少 {kinds}</translation>
    </message>
    <message>
        <source>From p(YES) {p} on at least {wanted} are real, with {sure} certainty: of {n} judged there {observed} are.</source>
        <translation>p(YES) 不低于 {p} 者至少 {wanted} 为真（置信度 {sure}）：其中已判定 {n} 个，{observed} 为真。</translation>
    </message>
    <message>
        <source>No cut for a precision of {wanted} yet: it takes {needed} judged objects from the top of p(YES) with at most one mistake, and you have {have}.</source>
        <translation>尚无法给出查准率 {wanted} 的阈值：需要从 p(YES) 最高者起 {needed} 个已判定的天体，其中至多一个为假，现有 {have} 个。</translation>
    </message>
    <message>
        <source>No cut for a precision of {wanted} yet: it takes {needed} judged objects from the top of p(YES) without a mistake, and you have {have}.</source>
        <translation>尚无法给出查准率 {wanted} 的阈值：需要从 p(YES) 最高者起 {needed} 个已判定且全部为真的天体，现有 {have} 个。</translation>
    </message>
    <message>
        <source>Judge {n} more, the highest p(YES) first.</source>
        <translation>请再判定 {n} 个，从 p(YES) 最高者开始。</translation>
    </message>
    <message>
        <source>This takes {n} more, and {left} can still be judged: want less, or ask another model.</source>
        <translation>这还需要 {n} 个，而可判定的只剩 {left} 个：请降低要求，或换一个模型。</translation>
    </message>
    <message>
        <source>This takes {n} more with a p(YES) above {p}, and {left} can still be judged: want less, or ask another model.</source>
        <translation>这还需要 {n} 个 p(YES) 高于 {p} 的天体，而可判定的只剩 {left} 个：请降低要求，或换一个模型。</translation>
    </message>
    <message>
        <source>Of {n} not yet judged, {accepted} would be accepted; {asked} left to you.</source>
        <translation>尚未判定的 {n} 个中，{accepted} 个会被接受，{asked} 个留给您判定。</translation>
    </message>
    <message>
        <source>Of those accepted at most {n} are false by the promise.</source>
        <translation>按此保证，被接受者中至多 {n} 个为假。</translation>
    </message>
    <message>
        <source>Of those accepted at most {n} are false by the promise, about {m} by calibrated p(YES).</source>
        <translation>按此保证，被接受者中至多 {n} 个为假；按校准后的 p(YES) 约 {m} 个。</translation>
    </message>
</context>
<context>
    <name>snapshot</name>
    <message>
        <source>a picture is .png, .svg or .pdf</source>
        <translation>图片须为 .png、.svg 或 .pdf</translation>
    </message>
    <message>
        <source>cannot be written: choose another folder</source>
        <translation>无法写入：请另选文件夹</translation>
    </message>
</context>
<context>
    <name>start</name>
    <message>
        <source>no folder to write to</source>
        <translation>不是可写入的文件夹</translation>
    </message>
</context>
<context>
    <name>templates</name>
    <message>
        <source>there is no template {name}: choose another one</source>
        <translation>没有名为 {name} 的模板：请另选一个</translation>
    </message>
    <message>
        <source>no pixel of this template is usable: take another file</source>
        <translation>此模板没有可用的像素：请换一个文件</translation>
    </message>
    <message>
        <source>{count} pixels, at most {most} are drawn as a template</source>
        <translation>共 {count} 个像素，模板至多可绘 {most} 个</translation>
    </message>
    <message>
        <source>cannot be read: install the program again</source>
        <translation>无法读取：请重新安装程序</translation>
    </message>
</context>
<context>
    <name>tour</name>
    <message>
        <source>The list</source>
        <translation>列表</translation>
    </message>
    <message>
        <source>The spectrum</source>
        <translation>光谱</translation>
    </message>
    <message>
        <source>Your verdict</source>
        <translation>您的判定</translation>
    </message>
    <message>
        <source>The agent</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>The catalogue</source>
        <translation>星表</translation>
    </message>
    <message>
        <source>All your candidates. {next} and {previous} go from one to the other, a click goes anywhere. Above it you choose whom to see, and in which order: the best scores first, or where two agents differ.</source>
        <translation>全部候选体。按 {next} 和 {previous} 前后移动，点击可到任意一个。上方选择看哪些、按什么顺序：评分最高者优先，或两个智能体有分歧者优先。</translation>
    </message>
    <message>
        <source>The wheel zooms, dragging pans, {whole} shows all of it. {first} to {last} go to the windows that decide this class; the strip below tells where you are.</source>
        <translation>滚轮缩放，拖动平移，{whole} 显示全谱。{first} 至 {last} 跳到决定该类别的诊断窗口；下方的条带显示当前位置。</translation>
    </message>
    <message>
        <source>{accept} accepts, {reject} rejects, {unsure} is for unsure, and the next one comes. Each press is on the disk at once, and {undo} takes it back, as far as you like. The keys work now, too: try them.</source>
        <translation>{accept} 接受，{reject} 排除，{unsure} 存疑，随后出现下一个。每次按键立即存盘，{undo} 可一步步撤销。这些键现在就有效：不妨试试。</translation>
    </message>
    <message>
        <source>{run} lets it inspect this spectrum: its looks move the plot, and what we measure stands beside what it says. It proposes, you decide. What its models learnt from, and what they are not, is under Window, About.</source>
        <translation>{run} 让它检视此光谱：它看哪里，图就移到哪里，其说法旁列有实测值。它提建议，由您决定。模型的学习来源及其局限见“窗口”菜单的“关于”。</translation>
    </message>
    <message>
        <source>{export} writes your verdicts, the agent&apos;s beside them, for other programs. {keys} shows all keys, {palette} finds a command by its name, {help} opens the guide. This tour is under Window.</source>
        <translation>{export} 把您的判定连同智能体的一起导出，供其他程序使用。{keys} 显示全部按键，{palette} 按名称查找命令，{help} 打开指南。本导览在“窗口”菜单中。</translation>
    </message>
</context>
<context>
    <name>verdicts</name>
    <message>
        <source>accepted</source>
        <translation>接受</translation>
    </message>
    <message>
        <source>rejected</source>
        <translation>排除</translation>
    </message>
    <message>
        <source>unsure</source>
        <translation>存疑</translation>
    </message>
    <message>
        <source>not judged</source>
        <translation>未判定</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>poor</source>
        <translation>较差</translation>
    </message>
    <message>
        <source>possible</source>
        <translation>可能</translation>
    </message>
    <message>
        <source>probable</source>
        <translation>很可能</translation>
    </message>
    <message>
        <source>sure</source>
        <translation>确定</translation>
    </message>
</context>
</TS>
