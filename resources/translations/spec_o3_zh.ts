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
        <source>Licences of all parts</source>
        <translation>所含软件的许可证</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>What the inspectors were trained on</source>
        <translation>各检视模型的训练数据</translation>
    </message>
    <message>
        <source>Version {version}</source>
        <translation>版本 {version}</translation>
    </message>
    <message>
        <source>A workbench for judging the spectra of rare-object candidates, with an agent that inspects each spectrum and shows where it looked.</source>
        <translation>用于判读稀有天体候选体光谱的工作台：智能体检视每条光谱，并显示它看了哪里。</translation>
    </message>
    <message>
        <source>Every verdict is yours: the agent never records one. Nothing leaves this computer unless you choose a model that runs on a server.</source>
        <translation>判定由您作出：智能体绝不会记录判定。除非您选择在服务器上运行的模型，否则任何内容都不会离开本机。</translation>
    </message>
    <message>
        <source>It is not a classifier to be trusted without checking. p(YES) ranks candidates; it becomes a probability only after calibration on your own verdicts.</source>
        <translation>它不是可以不加检验就信任的分类器。p(YES) 用于给候选体排序；只有用您自己的判定校准之后才是概率。</translation>
    </message>
    <message>
        <source>Simulated spectra are cleaner than observed ones. Performance on them says little about your survey: judge a few hundred candidates yourself in blind mode, then see the page Agreement and calibration.</source>
        <translation>模拟光谱比观测光谱干净。在其上的表现很难说明在您的巡天中如何：请先自行盲评几百个候选体，再看“一致性与校准”页面。</translation>
    </message>
    <message>
        <source>The sample is simulated, and marked as such wherever it is shown.</source>
        <translation>示例数据是模拟的，凡显示之处均有标明。</translation>
    </message>
    <message>
        <source>BSD 3-Clause. Qt and PySide6 are used under the LGPL, version 3, llama.cpp under the MIT licence; the other parts keep their own licences.</source>
        <translation>BSD 3-Clause。Qt 和 PySide6 按 LGPL 第 3 版使用，llama.cpp 按 MIT 许可证使用；其余部分仍适用各自的许可证。</translation>
    </message>
    <message>
        <source>What this is</source>
        <translation>它是什么</translation>
    </message>
    <message>
        <source>What this is not</source>
        <translation>它不是什么</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>许可证</translation>
    </message>
</context>
<context>
    <name>ActBar</name>
    <message>
        <source>Reason</source>
        <translation>理由</translation>
    </message>
    <message>
        <source>Give it back unchanged</source>
        <translation>不作改动，交还</translation>
    </message>
    <message>
        <source>Forget what you have changed and not saved, and let others revise it</source>
        <translation>放弃你已改动但尚未保存的内容，让别人来修订</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>舍弃</translation>
    </message>
    <message>
        <source>Save revision</source>
        <translation>保存修订</translation>
    </message>
    <message>
        <source>Approve</source>
        <translation>同意</translation>
    </message>
    <message>
        <source>Ask for changes</source>
        <translation>要求修改</translation>
    </message>
    <message>
        <source>Vote for</source>
        <translation>赞成</translation>
    </message>
    <message>
        <source>Vote against</source>
        <translation>反对</translation>
    </message>
    <message>
        <source>Reason; needed to discard it</source>
        <translation>理由；舍弃草稿时必须写明</translation>
    </message>
    <message>
        <source>Reason, for the log</source>
        <translation>理由，记入日志</translation>
    </message>
    <message>
        <source>Wait no longer for {name}</source>
        <translation>不再等待 {name}</translation>
    </message>
    <message>
        <source>Take it over from {name}</source>
        <translation>从 {name} 接手</translation>
    </message>
    <message>
        <source>What you changed and why, for the auditors</source>
        <translation>写给审核人：改了什么，为什么</translation>
    </message>
    <message>
        <source>What should change and why, for the author</source>
        <translation>写给修订人：应改什么，为什么</translation>
    </message>
    <message>
        <source>Reason (optional)</source>
        <translation>理由（可不填）</translation>
    </message>
</context>
<context>
    <name>ActStrip</name>
    <message>
        <source>{n} of {total} selected</source>
        <translation>已选 {n} / {total}</translation>
    </message>
    <message>
        <source>Total: {total}</source>
        <translation>共 {total} 个</translation>
    </message>
    <message>
        <source>Give all selected candidates this verdict</source>
        <translation>将所有选中的候选体判为此项</translation>
    </message>
    <message>
        <source>Star all selected candidates</source>
        <translation>为所有选中的候选体加星标</translation>
    </message>
    <message>
        <source>Flag</source>
        <translation>标记</translation>
    </message>
    <message>
        <source>Flag all selected candidates</source>
        <translation>标记所有选中的候选体</translation>
    </message>
    <message>
        <source>Give all selected candidates a sub-class or the value of a field</source>
        <translation>给所有选中的候选体一个子类或字段值</translation>
    </message>
    <message>
        <source>Sub-class, field ▾</source>
        <translation>子类、字段 ▾</translation>
    </message>
    <message>
        <source>Undo the last act</source>
        <translation>撤销上一次操作</translation>
    </message>
    <message>
        <source>Comment on all selected ({key})</source>
        <translation>为所有选中的写评语（{key}）</translation>
    </message>
    <message>
        <source>Comment on all selected candidates</source>
        <translation>为所有选中的候选体写评语</translation>
    </message>
    <message>
        <source>Enter adds it to all selected. What stands here at a verdict is its reason.</source>
        <translation>按 Enter 加到所有选中的候选体。作出判定时，此处的文字作为理由一并保存。</translation>
    </message>
</context>
<context>
    <name>AgentFaultsPage</name>
    <message>
        <source>Object</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>Rating</source>
        <translation>评分</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>Person</source>
        <translation>人</translation>
    </message>
    <message>
        <source>By</source>
        <translation>评分人</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>What the agent gets wrong</source>
        <translation>智能体的错误</translation>
    </message>
    <message>
        <source>Inspections rated 0 to 2 come first, then verdicts that a person contradicts. Click one to go to its object. `spec-o3-train lessons` makes training data from them.</source>
        <translation>先列出评为 0 到 2 分的检视，再列出与人的判定相反的结论。点击一行可转到该目标。`spec-o3-train lessons` 由此生成训练数据。</translation>
    </message>
    <message>
        <source>Total: {count}</source>
        <translation>共 {count} 条</translation>
    </message>
    <message>
        <source>Nothing yet: no low rating, and no verdict against the agent&apos;s.</source>
        <translation>暂无：没有低分，也没有与智能体相反的判定。</translation>
    </message>
</context>
<context>
    <name>AgentFollower</name>
    <message>
        <source>The agent is looking here</source>
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
        <source>Resume the agent</source>
        <translation>让智能体继续</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Pause the agent before its next turn</source>
        <translation>让智能体在下一轮之前暂停</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关闭</translation>
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
        <source>unavailable: {why}</source>
        <translation>不可用：{why}</translation>
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
        <source>Watch the agent: at least 1.5 s for each look, so that you can follow and pause</source>
        <translation>跟看智能体：每次查看至少停 1.5 秒，以便跟上和暂停</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Run the agent on this candidate</source>
        <translation>对此候选体运行智能体</translation>
    </message>
    <message>
        <source>Watch</source>
        <translation>跟看</translation>
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
        <source>Run the agent on the whole list</source>
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
        <source>Best bundled model</source>
        <translation>随程序附带的最佳模型</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>Graphics card (CUDA or ROCm)</source>
        <translation>显卡（CUDA 或 ROCm）</translation>
    </message>
    <message>
        <source>Graphics of an Apple computer</source>
        <translation>苹果电脑的图形处理器</translation>
    </message>
    <message>
        <source>A model from the list, a folder, a GGUF file or a server address</source>
        <translation>列表中的模型、文件夹、GGUF 文件或服务器地址</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Automatic: a graphics card if the model can use one</source>
        <translation>自动：模型能使用显卡时用显卡</translation>
    </message>
    <message>
        <source>Runs on</source>
        <translation>运行于</translation>
    </message>
    <message>
        <source>Each inspection needs memory for its own copy of the model</source>
        <translation>每个检视都要为各自的模型副本占用内存</translation>
    </message>
    <message>
        <source>Parallel inspections</source>
        <translation>同时检视数</translation>
    </message>
    <message>
        <source>Server keys</source>
        <translation>服务器密钥</translation>
    </message>
    <message>
        <source>Server keys are read from SPEC_O3_API_KEY or the system keyring. They are never saved here, in sessions or in exports</source>
        <translation>服务器密钥从环境变量 SPEC_O3_API_KEY 或系统密钥环读取，不会保存在这里，也不会写入会话或导出文件</translation>
    </message>
    <message>
        <source>Ready: {where}</source>
        <translation>就绪：{where}</translation>
    </message>
    <message>
        <source>Incomplete: {files} missing</source>
        <translation>不完整：缺少 {files}</translation>
    </message>
    <message>
        <source>Not downloaded yet. Run: spec-o3 models get {name}</source>
        <translation>尚未下载。请运行：spec-o3 models get {name}</translation>
    </message>
</context>
<context>
    <name>AgentPanel</name>
    <message>
        <source>No candidate</source>
        <translation>没有候选体</translation>
    </message>
    <message>
        <source>There is no class to judge: the agent is off</source>
        <translation>没有要判定的类型：智能体已关闭</translation>
    </message>
    <message>
        <source>Hidden by the plan of the study</source>
        <translation>按研究计划隐藏</translation>
    </message>
    <message>
        <source>Hidden until you judge ({key} reveals)</source>
        <translation>判定之前不显示（按 {key} 显示）</translation>
    </message>
    <message>
        <source>The agent is running</source>
        <translation>智能体正在运行</translation>
    </message>
    <message>
        <source>Paused: show it a window or write a remark, then resume</source>
        <translation>已暂停：可给它看一个窗口或写一句提示，然后继续</translation>
    </message>
    <message>
        <source>Paused: show it a window, then resume</source>
        <translation>已暂停：给它看一个窗口，再继续</translation>
    </message>
    <message>
        <source>The agent is looking at the whole spectrum</source>
        <translation>智能体正在查看整条光谱</translation>
    </message>
    <message>
        <source>The agent took no step</source>
        <translation>智能体没有任何步骤</translation>
    </message>
    <message>
        <source>Reading the inspection…</source>
        <translation>正在读取检查记录…</translation>
    </message>
    <message>
        <source>Not inspected yet ({key} runs the agent)</source>
        <translation>尚未检视（按 {key} 运行智能体）</translation>
    </message>
</context>
<context>
    <name>AgreementPage</name>
    <message>
        <source>Kappa (Fleiss for all, Cohen for two) is agreement beyond chance, with its 95 % interval: 0 is chance, above 0.8 is almost perfect.</source>
        <translation>Kappa（多人用 Fleiss，两人用 Cohen）是超出偶然的一致程度，附 95% 区间：0 为偶然，高于 0.8 近乎完全一致。</translation>
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
        <source>Sub-classes, by level</source>
        <translation>子类，按层级</translation>
    </message>
    <message>
        <source>Cohen&apos;s kappa of what both have accepted and named at least to that level: 1 is the first key, 2 the second.</source>
        <translation>双方都接受且至少命名到该层级的目标的科恩 kappa：1 为第一个键，2 为第二个键。</translation>
    </message>
    <message>
        <source>Cohen&apos;s kappa with 95 % interval. Grey, “seen”: verdicts given after the agent&apos;s result was shown, which may follow it. They count nowhere else.</source>
        <translation>Cohen κ 系数及其 95 % 置信区间。灰色的“看过”：智能体结果显示之后作出的判定，可能跟随它，别处都不计入。</translation>
    </message>
    <message>
        <source>Judge blind from now on</source>
        <translation>从现在起盲评</translation>
    </message>
    <message>
        <source>By signal-to-noise</source>
        <translation>按信噪比</translation>
    </message>
    <message>
        <source>Computing…</source>
        <translation>正在计算…</translation>
    </message>
    <message>
        <source>Nobody has judged here, and no agent has inspected anything yet.</source>
        <translation>这里还没有人作出判定，也没有智能体检视过任何天体。</translation>
    </message>
    <message>
        <source>All people (Fleiss)</source>
        <translation>所有人（Fleiss）</translation>
    </message>
    <message>
        <source>repeats</source>
        <translation>重复判定</translation>
    </message>
    <message>
        <source>At least two people must judge the same objects. Open the session under another name, or merge a colleague&apos;s session.</source>
        <translation>至少需要两人判定相同的天体。请以另一姓名打开会话，或合并同事的会话。</translation>
    </message>
    <message>
        <source>level {n}</source>
        <translation>第 {n} 级</translation>
    </message>
    <message>
        <source>seen</source>
        <translation>看过</translation>
    </message>
    <message>
        <source>People</source>
        <translation>判定者</translation>
    </message>
    <message>
        <source>Nothing to compare yet: no object has been judged by two people.</source>
        <translation>尚无可比较的内容：没有两人都判定过的天体。</translation>
    </message>
    <message>
        <source>Kappa with 95 % interval.</source>
        <translation>Kappa 及 95% 区间。</translation>
    </message>
    <message>
        <source>Blind mode: shown when you have judged everything, or when blind mode is off.</source>
        <translation>盲评模式：全部判定完毕或关闭盲评模式后显示。</translation>
    </message>
    <message>
        <source>First judge some objects that the agent has inspected, before its result is shown.</source>
        <translation>请先在智能体的结果显示之前，判定一些它已检视的天体。</translation>
    </message>
</context>
<context>
    <name>AppearancePage</name>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>System default</source>
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
        <source>Colours also differ in lightness, so they can be told apart with any kind of colour vision</source>
        <translation>各颜色的明度也不同，色觉异常者同样可以分辨</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>文字大小</translation>
    </message>
    <message>
        <source>Takes effect at the next start</source>
        <translation>下次启动时生效</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
</context>
<context>
    <name>AxisControl</name>
    <message>
        <source>As in the file</source>
        <translation>与文件一致</translation>
    </message>
    <message>
        <source>Normalised</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>Flux</source>
        <translation>流量</translation>
    </message>
    <message>
        <source>Include zero</source>
        <translation>包含零点</translation>
    </message>
    <message>
        <source>Logarithmic</source>
        <translation>对数</translation>
    </message>
    <message>
        <source>Unit of wavelength</source>
        <translation>波长单位</translation>
    </message>
    <message>
        <source>Vacuum</source>
        <translation>真空</translation>
    </message>
    <message>
        <source>Air</source>
        <translation>空气</translation>
    </message>
    <message>
        <source>File&apos;s own</source>
        <translation>文件所用</translation>
    </message>
    <message>
        <source>Medium of wavelengths</source>
        <translation>波长的介质</translation>
    </message>
    <message>
        <source>Usual axes</source>
        <translation>恢复默认坐标轴</translation>
    </message>
    <message>
        <source>Wavelength</source>
        <translation>波长</translation>
    </message>
    <message>
        <source>No: wavelengths</source>
        <translation>否：波长</translation>
    </message>
    <message>
        <source>Velocity about {line}</source>
        <translation>相对 {line} 的速度</translation>
    </message>
    <message>
        <source>Velocity about…</source>
        <translation>相对谱线的速度…</translation>
    </message>
    <message>
        <source>The file has air wavelengths</source>
        <translation>文件中为空气波长</translation>
    </message>
    <message>
        <source>The file has vacuum wavelengths, or does not say</source>
        <translation>文件中为真空波长，或未说明</translation>
    </message>
    <message>
        <source>f_λ and f_ν: the file gives no unit of flux</source>
        <translation>f_λ 与 f_ν：文件未给出流量单位</translation>
    </message>
    <message>
        <source>f_λ and f_ν: the file&apos;s unit, {unit}, is no flux density</source>
        <translation>f_λ 与 f_ν：文件的单位 {unit} 不是流量密度</translation>
    </message>
    <message>
        <source>At rest</source>
        <translation>静止系</translation>
    </message>
</context>
<context>
    <name>BlindMode</name>
    <message>
        <source>Nothing is hidden here</source>
        <translation>此处没有隐藏的内容</translation>
    </message>
    <message>
        <source>The plan of the study says what is shown</source>
        <translation>显示什么由研究计划决定</translation>
    </message>
    <message>
        <source>This is a repeat: judge it again first</source>
        <translation>这是复核的候选体：请先重新判定</translation>
    </message>
    <message>
        <source>Blind mode: this filter or order would reveal the agent&apos;s opinion</source>
        <translation>盲评模式：此筛选或排序会泄露智能体的意见</translation>
    </message>
</context>
<context>
    <name>CalibrationCard</name>
    <message>
        <source>Reliability</source>
        <translation>可靠性</translation>
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
        <source>Circles: the model&apos;s own p(YES). Diamonds: calibrated, cross-validated.</source>
        <translation>圆点：模型给出的 p(YES)。菱形：校准后（交叉验证）。</translation>
    </message>
    <message>
        <source>Calibrate from my verdicts</source>
        <translation>用我的判定校准</translation>
    </message>
    <message>
        <source>Target precision, per cent</source>
        <translation>目标查准率（%）</translation>
    </message>
    <message>
        <source>Candidates by p(YES)</source>
        <translation>候选体的 p(YES) 分布</translation>
    </message>
    <message>
        <source>Candidates by p(YES): accepted (solid, green), rejected (dashed, red), not judged (dotted, grey). The height is the square root of the number; the vertical line is the cut.</source>
        <translation>候选体按 p(YES) 的分布：已接受（绿色实线）、已排除（红色虚线）、未判定（灰色点线）。高度为数目的平方根；竖线为阈值。</translation>
    </message>
    <message>
        <source>Computing…</source>
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
        <source>Cut for a precision of</source>
        <translation>达到此查准率的阈值</translation>
    </message>
    <message>
        <source>Predicted p(YES)</source>
        <translation>预测的 p(YES)</translation>
    </message>
    <message>
        <source>Accepted fraction</source>
        <translation>接受的比例</translation>
    </message>
    <message>
        <source>No object with a p(YES) has been judged blind yet.</source>
        <translation>有 p(YES) 的天体尚无一个经过盲评。</translation>
    </message>
    <message>
        <source>{count} judged blind, {real} accepted</source>
        <translation>盲评 {count} 个，其中接受 {real} 个</translation>
    </message>
    <message>
        <source>calibration error (ECE) {error}</source>
        <translation>校准误差 (ECE) {error}</translation>
    </message>
    <message>
        <source>{error} after calibration</source>
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
        <source>{share} of the unjudged candidates would be accepted.</source>
        <translation>尚未判定的候选体中有 {share} 会被接受。</translation>
    </message>
    <message>
        <source>p(YES) is calibrated on {count} of your verdicts</source>
        <translation>p(YES) 已用您的 {count} 个判定校准</translation>
    </message>
</context>
<context>
    <name>CaseModel</name>
    <message>
        <source>Object</source>
        <translation>天体</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>答案</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Who</source>
        <translation>经手人</translation>
    </message>
</context>
<context>
    <name>CaseTable</name>
    <message>
        <source>Which drafts</source>
        <translation>显示哪些草稿</translation>
    </message>
    <message>
        <source>Drafts</source>
        <translation>草稿</translation>
    </message>
    <message>
        <source>All drafts</source>
        <translation>全部草稿</translation>
    </message>
    <message>
        <source>Waiting for me</source>
        <translation>等我处理</translation>
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
        <source>{n} selected candidates</source>
        <translation>选中的 {n} 个候选体</translation>
    </message>
    <message>
        <source>Reading …</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>CSV, units and provenance in a separate file</source>
        <translation>CSV，单位与来源另存为单独文件</translation>
    </message>
    <message>
        <source>ECSV, units and provenance in the header</source>
        <translation>ECSV，单位与来源写在文件头</translation>
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
        <source>All judged</source>
        <translation>所有已判定的</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>As currently filtered</source>
        <translation>当前筛选后的列表</translation>
    </message>
    <message>
        <source>{count} rows, {columns} columns; first rows:</source>
        <translation>{count} 行，{columns} 列；前几行：</translation>
    </message>
    <message>
        <source>{count} row, {columns} columns:</source>
        <translation>{count} 行，{columns} 列：</translation>
    </message>
    <message>
        <source>0 of {all} candidates are accepted: nothing to write</source>
        <translation>{all} 个候选体中有 0 个已接受：没有可写入的内容</translation>
    </message>
    <message>
        <source>0 of {all} candidates are judged: nothing to write</source>
        <translation>{all} 个候选体中有 0 个已判定：没有可写入的内容</translation>
    </message>
    <message>
        <source>No candidate matches the filter: nothing to write</source>
        <translation>没有符合筛选条件的候选体：没有可写入的内容</translation>
    </message>
    <message>
        <source>No candidates: nothing to write</source>
        <translation>没有候选体：没有可写入的内容</translation>
    </message>
    <message>
        <source>Choose the {n} judged</source>
        <translation>选择已判定的 {n} 个</translation>
    </message>
    <message>
        <source>Choose all {n}</source>
        <translation>选择全部 {n} 个</translation>
    </message>
    <message>
        <source>Left out: {n} on which reviewers disagree</source>
        <translation>未列入：{n} 个评审者意见不一的候选体</translation>
    </message>
    <message>
        <source>hidden</source>
        <translation>已隐藏</translation>
    </message>
</context>
<context>
    <name>ChoiceForm</name>
    <message>
        <source>Class to choose</source>
        <translation>要挑选的类别</translation>
    </message>
    <message>
        <source>How to choose</source>
        <translation>挑选方式</translation>
    </message>
    <message>
        <source>Keep so many</source>
        <translation>保留这么多颗</translation>
    </message>
    <message>
        <source>Keep this share of the members</source>
        <translation>保留这一比例的成员</translation>
    </message>
    <message>
        <source>This share shall be members</source>
        <translation>其中这一比例应为成员</translation>
    </message>
    <message>
        <source>How many to keep</source>
        <translation>保留多少颗</translation>
    </message>
    <message>
        <source>Share in %</source>
        <translation>比例（%）</translation>
    </message>
    <message>
        <source>Least S/N</source>
        <translation>最低信噪比</translation>
    </message>
    <message>
        <source>List of known members, if you have one</source>
        <translation>已知成员的列表（如果有）</translation>
    </message>
    <message>
        <source>masked</source>
        <translation>坏像元多</translation>
    </message>
    <message>
        <source>sky lines</source>
        <translation>天光残留</translation>
    </message>
    <message>
        <source>arm join</source>
        <translation>两臂接缝</translation>
    </message>
    <message>
        <source>saturated</source>
        <translation>饱和</translation>
    </message>
    <message>
        <source>negative</source>
        <translation>负流量</translation>
    </message>
    <message>
        <source>only a part</source>
        <translation>仅一部分</translation>
    </message>
    <message>
        <source>wrong errors</source>
        <translation>误差不符</translation>
    </message>
    <message>
        <source>Leave out what is:</source>
        <translation>排除有以下问题的：</translation>
    </message>
    <message>
        <source>Choose</source>
        <translation>挑选</translation>
    </message>
    <message>
        <source>The oddest of all</source>
        <translation>最奇特的</translation>
    </message>
</context>
<context>
    <name>ClassButton</name>
    <message>
        <source>Class: {name}</source>
        <translation>类型：{name}</translation>
    </message>
    <message>
        <source>Judge this list for another class</source>
        <translation>按另一类型判定此列表</translation>
    </message>
    <message>
        <source>This session keeps its class: its verdicts are about it</source>
        <translation>此会话的类型不变：其判定都针对该类型</translation>
    </message>
    <message>
        <source>No class</source>
        <translation>无类型</translation>
    </message>
    <message>
        <source>Nothing is judged here</source>
        <translation>此处不作判定</translation>
    </message>
    <message>
        <source>Choose a class to judge</source>
        <translation>选择要判定的类型</translation>
    </message>
</context>
<context>
    <name>ColumnMenu</name>
    <message>
        <source>Rename {name}…</source>
        <translation>重命名 {name}…</translation>
    </message>
    <message>
        <source>Reset the columns</source>
        <translation>恢复默认列</translation>
    </message>
    <message>
        <source>small spectrum</source>
        <translation>光谱缩略图</translation>
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
        <source>No matching command</source>
        <translation>没有匹配的命令</translation>
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
        <source>Comment; Enter or Esc returns to the plot</source>
        <translation>评语；按回车或 Esc 返回光谱图</translation>
    </message>
    <message>
        <source>Standard comments</source>
        <translation>常用评语</translation>
    </message>
    <message>
        <source>This session is read-only: comments cannot be saved</source>
        <translation>此会话为只读：无法保存评语</translation>
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
    <name>ComparedSpectra</name>
    <message>
        <source>No object selected</source>
        <translation>未选择目标</translation>
    </message>
    <message>
        <source>This is the spectrum on screen</source>
        <translation>这就是屏幕上的光谱</translation>
    </message>
    <message>
        <source>At most {count} spectra are compared: remove one first</source>
        <translation>最多比较 {count} 条光谱：请先移除一条</translation>
    </message>
    <message>
        <source>Not compared, as they cannot be read: {n}</source>
        <translation>因无法读取而未比较：{n}</translation>
    </message>
    <message>
        <source>No other epoch of this source within {radius} arcsec in this list</source>
        <translation>此列表中 {radius} 角秒内没有该源的其他观测</translation>
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
        <source>Use this model&apos;s opinions in the list, its filters and the proposal. Press again to use the newest record of each candidate.</source>
        <translation>列表、筛选与建议采用此模型的意见；再按一次则采用每个候选体的最新记录。</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Certainty</source>
        <translation>把握</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>结果</translation>
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
    <name>ComparisonControl</name>
    <message>
        <source>Keep over candidates</source>
        <translation>换候选体时保留</translation>
    </message>
    <message>
        <source>Remove all</source>
        <translation>全部移除</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>比值</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差值</translation>
    </message>
    <message>
        <source>Below the plot</source>
        <translation>图下方</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Overlay the epochs of this source</source>
        <translation>叠加该源的各次观测</translation>
    </message>
    <message>
        <source>Any other row of the queue is compared from its menu (right click).</source>
        <translation>队列中的任何其他行可从其右键菜单加入比较。</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>移除 {name}</translation>
    </message>
</context>
<context>
    <name>ConfidenceRow</name>
    <message>
        <source>sure</source>
        <translation>确定</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
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
    <name>ConfirmLine</name>
    <message>
        <source>Yes (Enter)</source>
        <translation>是（回车）</translation>
    </message>
    <message>
        <source>No (Esc)</source>
        <translation>否（Esc）</translation>
    </message>
    <message>
        <source>You have not seen the spectrum of {unopened} of these {n} candidates. Give all {n} this verdict: {verdict}?</source>
        <translation>这 {n} 个候选体中有 {unopened} 个的光谱您尚未看过。仍将全部 {n} 个判定为：{verdict}？</translation>
    </message>
    <message>
        <source>Reason: {reason}</source>
        <translation>理由：{reason}</translation>
    </message>
</context>
<context>
    <name>CornerReadout</name>
    <message>
        <source>Wavelength and flux under the mouse</source>
        <translation>光标处的波长与流量</translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message>
        <source>Something went wrong</source>
        <translation>出错了</translation>
    </message>
    <message>
        <source>An internal error occurred</source>
        <translation>发生内部错误</translation>
    </message>
    <message>
        <source>Your verdicts are saved and you can continue. If this happens again, please send us the details. They stay on this computer until you do, and contain no keys, no spectra and not your home folder&apos;s name, but may name a file or an object.</source>
        <translation>您的判定已保存，可以继续。若再次出现，请把详细信息发给我们。在您发送之前它只在本机，不含密钥、光谱，也不含主文件夹的名称，但可能提到某个文件或天体的名称。</translation>
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
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>{count} more since then; the latest: {what}</source>
        <translation>此后又有 {count} 个，最近一个：{what}</translation>
    </message>
</context>
<context>
    <name>CriteriaList</name>
    <message>
        <source>not measurable: {why}</source>
        <translation>无法测量：{why}</translation>
    </message>
    <message>
        <source>{value}, does not count: {why}</source>
        <translation>{value}，不计入：{why}</translation>
    </message>
    <message>
        <source>{value}, borderline</source>
        <translation>{value}，处于界限上</translation>
    </message>
    <message>
        <source>{value}, met</source>
        <translation>{value}，满足</translation>
    </message>
    <message>
        <source>{value}, not met</source>
        <translation>{value}，不满足</translation>
    </message>
    <message>
        <source>S/N {n}</source>
        <translation>S/N {n}</translation>
    </message>
    <message>
        <source>it needs {name}</source>
        <translation>需要先有 {name}</translation>
    </message>
    <message>
        <source>Measurements: hidden until you judge</source>
        <translation>测量值：判定前隐藏</translation>
    </message>
</context>
<context>
    <name>CurrentCandidate</name>
    <message>
        <source>The study shows one candidate after the other</source>
        <translation>研究中逐个显示候选体</translation>
    </message>
    <message>
        <source>This is the last candidate in the list</source>
        <translation>这是列表中的最后一个候选体</translation>
    </message>
    <message>
        <source>This is the first candidate in the list</source>
        <translation>这是列表中的第一个候选体</translation>
    </message>
    <message>
        <source>No spectrum to judge</source>
        <translation>没有可判定的光谱</translation>
    </message>
    <message>
        <source>Not judged: this spectrum cannot be read</source>
        <translation>未判定：此光谱无法读取</translation>
    </message>
    <message>
        <source>Not judged: the spectrum is not drawn yet</source>
        <translation>未判定：光谱尚未绘出</translation>
    </message>
    <message>
        <source>The first verdict stands once the agent&apos;s answer was shown</source>
        <translation>显示智能体的答案之后，第一次判定不能再撤销</translation>
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
        <source>Redone: now {what}</source>
        <translation>已重做：现为{what}</translation>
    </message>
    <message>
        <source>Blind mode: the queue was reset to list order, which reveals nothing</source>
        <translation>盲评模式：队列已恢复为列表顺序，不透露任何信息</translation>
    </message>
    <message>
        <source>All candidates in this list are judged</source>
        <translation>此列表的候选体已全部判定</translation>
    </message>
</context>
<context>
    <name>CurvePlot</name>
    <message>
        <source>Light curve</source>
        <translation>光变曲线</translation>
    </message>
    <message>
        <source>phase</source>
        <translation>相位</translation>
    </message>
    <message>
        <source>magnitude</source>
        <translation>星等</translation>
    </message>
</context>
<context>
    <name>CurveView</name>
    <message>
        <source>period in days</source>
        <translation>周期（天）</translation>
    </message>
    <message>
        <source>Period in days</source>
        <translation>周期（天）</translation>
    </message>
    <message>
        <source>Fold</source>
        <translation>折叠</translation>
    </message>
    <message>
        <source>Find a period</source>
        <translation>搜索周期</translation>
    </message>
    <message>
        <source>Over time</source>
        <translation>按时间显示</translation>
    </message>
    <message>
        <source>Each series is one band of one star. BP and RP come without errors.</source>
        <translation>每个序列是一颗星的一个波段。BP 和 RP 不带误差。</translation>
    </message>
    <message>
        <source>One sector of TESS, whose pixels of 21 arcsec hold neighbours, too.</source>
        <translation>TESS 的一个天区；其像元为 21 角秒，也含邻近天体。</translation>
    </message>
    <message>
        <source>All light at this place, measured anew, without points below 3 errors.</source>
        <translation>该位置的全部光，重新测量；低于 3 倍误差的点不计。</translation>
    </message>
    <message>
        <source>Each series, of one field and filter, has a zero point of its own: none is moved to another.</source>
        <translation>每个序列属于一个天区和一个滤光片，各有自己的零点，彼此之间不作平移。</translation>
    </message>
    <message>
        <source>{mark} {band}, series {series}: {n} points, median {median} mag</source>
        <translation>{mark} {band}，序列 {series}：{n} 个点，中位 {median} mag</translation>
    </message>
    <message>
        <source>{n} more series are not drawn</source>
        <translation>另有 {n} 个序列未画出</translation>
    </message>
    <message>
        <source>A period is a number of days, such as 0.0626</source>
        <translation>周期是以天为单位的数，例如 0.0626</translation>
    </message>
    <message>
        <source>Searching from 0.02 to 100 days</source>
        <translation>正在 0.02 至 100 天内搜索</translation>
    </message>
    <message>
        <source>Too few points for a period</source>
        <translation>数据点太少，无法求周期</translation>
    </message>
    <message>
        <source>Highest peak of the Lomb-Scargle periodogram, which may be an alias</source>
        <translation>Lomb-Scargle 周期图的最高峰，可能是混叠</translation>
    </message>
</context>
<context>
    <name>CustomFlag</name>
    <message>
        <source>custom flag, Enter</source>
        <translation>自定义标记，回车</translation>
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
        <source>Only unsettled</source>
        <translation>只看未裁定的</translation>
    </message>
    <message>
        <source>Disagreements</source>
        <translation>分歧</translation>
    </message>
    <message>
        <source>{first} and {second} both inspected {n}: same verdict on {alike}, opposite verdicts on {opposed}</source>
        <translation>{first} 与 {second} 都检视过的有 {n} 个：判定相同 {alike} 个，相反 {opposed} 个</translation>
    </message>
    <message>
        <source>First {count}</source>
        <translation>前 {count} 个</translation>
    </message>
    <message>
        <source>Total: {count}</source>
        <translation>共 {count} 个</translation>
    </message>
    <message>
        <source>Blind mode: the agents&apos; verdicts are not shown.</source>
        <translation>盲评模式：不显示智能体的判定。</translation>
    </message>
    <message>
        <source>No disagreement on any object that two people have judged. For second opinions, share the list out, open the session under another name, or merge a colleague&apos;s session.</source>
        <translation>两人都判定过的天体没有分歧。若要第二意见，请分配列表、以另一姓名打开会话，或合并同事的会话。</translation>
    </message>
    <message>
        <source>You and the agent agree on every object that both have judged.</source>
        <translation>凡您与智能体都判定过的天体，两者一致。</translation>
    </message>
    <message>
        <source>At least two models must inspect the same objects.</source>
        <translation>至少需要两个模型检视相同的天体。</translation>
    </message>
    <message>
        <source>This was the last disagreement</source>
        <translation>这是最后一项分歧</translation>
    </message>
    <message>
        <source>This is the first disagreement</source>
        <translation>这是第一项分歧</translation>
    </message>
</context>
<context>
    <name>DisputePlot</name>
    <message>
        <source>Wheel zooms, drag moves, double click shows the whole spectrum</source>
        <translation>滚轮缩放，拖动平移，双击显示整条光谱</translation>
    </message>
</context>
<context>
    <name>DisputeView</name>
    <message>
        <source>Spectrum</source>
        <translation>光谱</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Unsettled: people disagree, and no adjudicator has decided.</source>
        <translation>未定：判定者意见不一，裁定者尚未裁定。</translation>
    </message>
    <message>
        <source>Settled by the adjudicator: {verdict}</source>
        <translation>裁定者已裁定：{verdict}</translation>
    </message>
    <message>
        <source>Unanimous: {verdict}</source>
        <translation>所有人一致判定：{verdict}</translation>
    </message>
    <message>
        <source>Judged by one person: {verdict}</source>
        <translation>仅一人判定：{verdict}</translation>
    </message>
    <message>
        <source>Not judged yet.</source>
        <translation>尚未判定。</translation>
    </message>
    <message>
        <source>My verdict is not final</source>
        <translation>不再以我的判定为准</translation>
    </message>
    <message>
        <source>My verdict is final</source>
        <translation>以我的判定为准</translation>
    </message>
    <message>
        <source>Adjudicator: {name}</source>
        <translation>裁定者：{name}</translation>
    </message>
    <message>
        <source>No adjudicator</source>
        <translation>没有裁定者</translation>
    </message>
</context>
<context>
    <name>DraftView</name>
    <message>
        <source>Compare with</source>
        <translation>对照</translation>
    </message>
    <message>
        <source>Show differences</source>
        <translation>显示差异</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>It answers {verdict}, but the truth is {truth}: discard it.</source>
        <translation>它的答案是 {verdict}，真值却是 {truth}：应当舍弃。</translation>
    </message>
    <message>
        <source>{n} claims, all supported by what is measured</source>
        <translation>{n} 个论断，均有测量依据</translation>
    </message>
    <message>
        <source>{n} claims, {m} not supported: marked below</source>
        <translation>{n} 个论断，其中 {m} 个没有依据，已在下面标出</translation>
    </message>
    <message>
        <source>the draft</source>
        <translation>原始草稿</translation>
    </message>
    <message>
        <source>revision {n} by {name}</source>
        <translation>{name} 的第 {n} 次修订</translation>
    </message>
    <message>
        <source>what you had not saved</source>
        <translation>你尚未保存的内容</translation>
    </message>
</context>
<context>
    <name>DriftCard</name>
    <message>
        <source>Change over time</source>
        <translation>随时间的变化</translation>
    </message>
    <message>
        <source>At least fifty verdicts by one person are needed to see a change.</source>
        <translation>至少需要同一人的五十个判定，才能看出变化。</translation>
    </message>
    <message>
        <source>Solid: accepted fraction, block by block. Dashed: the agent&apos;s mean p(YES).</source>
        <translation>实线：各组的接受比例。虚线：智能体 p(YES) 的平均值。</translation>
    </message>
</context>
<context>
    <name>DropOverlay</name>
    <message>
        <source>This cannot be opened</source>
        <translation>无法打开</translation>
    </message>
    <message>
        <source>Drop to open the session</source>
        <translation>松开以打开会话</translation>
    </message>
    <message>
        <source>Drop to start a session with {count} files</source>
        <translation>松开以用 {count} 个文件新建会话</translation>
    </message>
    <message>
        <source>Drop to start a session with the spectra in this folder</source>
        <translation>松开以用此文件夹中的光谱新建会话</translation>
    </message>
    <message>
        <source>Drop to open</source>
        <translation>松开以打开</translation>
    </message>
</context>
<context>
    <name>EmptyPanel</name>
    <message>
        <source>Choose services…</source>
        <translation>选择服务…</translation>
    </message>
    <message>
        <source>No service is turned on</source>
        <translation>没有启用任何服务</translation>
    </message>
    <message>
        <source>SIMBAD, Gaia, surveys, light curves and pictures of the sky can be asked about each object, while you judge the one before. All are off at first: to ask, the position of the object leaves this computer. Turn on each one that you want.</source>
        <translation>在您判读前一个天体时，可以向 SIMBAD、Gaia、各巡天、光变曲线和天区图像服务查询下一个天体。起初全部关闭：查询时天体的位置会离开这台计算机。请逐个启用您需要的服务。</translation>
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
        <source>The list is empty, or no candidate matches the filter.</source>
        <translation>列表为空，或没有候选体符合筛选条件。</translation>
    </message>
    <message>
        <source>This spectrum cannot be read</source>
        <translation>此光谱无法读取</translation>
    </message>
    <message>
        <source>Fetch it from {archive}</source>
        <translation>从 {archive} 获取</translation>
    </message>
    <message>
        <source>Fetching the spectrum from {archive}…</source>
        <translation>正在从 {archive} 获取光谱…</translation>
    </message>
    <message>
        <source>Reading the spectrum…</source>
        <translation>正在读取光谱…</translation>
    </message>
</context>
<context>
    <name>ErrorPopup</name>
    <message>
        <source>Error details</source>
        <translation>错误详情</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
</context>
<context>
    <name>EvidencePanel</name>
    <message>
        <source>Energy distribution</source>
        <translation>能量分布</translation>
    </message>
    <message>
        <source>The list gives no position for this object, so no service can be asked</source>
        <translation>列表没有给出此天体的位置，因此无法查询任何服务</translation>
    </message>
    <message>
        <source>The list gives no position for this object</source>
        <translation>列表没有给出此天体的位置</translation>
    </message>
    <message>
        <source>Turned off in the settings</source>
        <translation>在设置中已关闭</translation>
    </message>
    <message>
        <source>Asked as soon as it is this object&apos;s turn</source>
        <translation>轮到此天体时查询</translation>
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
        <source>Blind mode is on, but exported files include the agent&apos;s verdicts</source>
        <translation>盲评模式已开启，但导出的文件仍包含智能体的判定</translation>
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
        <source>{name} already exists: choose another name</source>
        <translation>{name} 已存在：请换一个名称</translation>
    </message>
    <message>
        <source>{name} already exists and will be replaced</source>
        <translation>{name} 已存在，将被替换</translation>
    </message>
    <message>
        <source>Stopped: nothing was written</source>
        <translation>已停止：没有写入任何内容</translation>
    </message>
</context>
<context>
    <name>ExportLine</name>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>{n} of {all} approved</source>
        <translation>已通过 {n} / {all}</translation>
    </message>
    <message>
        <source>Examples for training</source>
        <translation>训练示例</translation>
    </message>
    <message>
        <source>Export the approved drafts</source>
        <translation>导出已通过的草稿</translation>
    </message>
    <message>
        <source>Exporting…</source>
        <translation>正在导出…</translation>
    </message>
    <message>
        <source>Write the approved drafts as a file that spec-o3-train sft reads</source>
        <translation>把已通过的草稿写成 spec-o3-train sft 能读的文件</translation>
    </message>
    <message>
        <source>Nothing to export yet: a draft is approved by the vote of three</source>
        <translation>还没有可导出的草稿：经三人表决才算通过</translation>
    </message>
</context>
<context>
    <name>FetchDialog</name>
    <message>
        <source>Open from an archive</source>
        <translation>从巡天数据库打开</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>数据库</translation>
    </message>
    <message>
        <source>Address of the service</source>
        <translation>服务地址</translation>
    </message>
    <message>
        <source>Release</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Spectra</source>
        <translation>光谱</translation>
    </message>
    <message>
        <source>Radius in arcsec</source>
        <translation>半径（角秒）</translation>
    </message>
    <message>
        <source>All that are found, not only the best</source>
        <translation>取全部找到的，而不只是最合适的一条</translation>
    </message>
    <message>
        <source>Folder for the files</source>
        <translation>存放文件的文件夹</translation>
    </message>
    <message>
        <source>arcsec</source>
        <translation>角秒</translation>
    </message>
    <message>
        <source>Radius</source>
        <translation>半径</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Open what was fetched</source>
        <translation>打开已取得的</translation>
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
        <source>Fetch</source>
        <translation>获取</translation>
    </message>
    <message>
        <source>the newest, or for example {name}</source>
        <translation>最新版本，或例如 {name}</translation>
    </message>
    <message>
        <source>Fetching…</source>
        <translation>正在获取…</translation>
    </message>
</context>
<context>
    <name>FieldsDialog</name>
    <message>
        <source>Own fields of this session</source>
        <translation>本会话的自定义字段</translation>
    </message>
    <message>
        <source>Fields are filled in beside the verdict, by a click or by their key, and are saved, undone, merged and exported with it. A key is a letter that no action has, such as J or Shift+Q, or a digit from 5 to 9. Removing a field keeps what was filled in.</source>
        <translation>字段在判定之外填写，可点击或按键，与判定一同保存、撤销、合并和导出。按键是没有被操作占用的字母，如 J 或 Shift+Q，或 5 到 9 的数字。删除字段后，已填写的内容仍会保留。</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Choices, with commas</source>
        <translation>选项，用逗号分隔</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>Add a field</source>
        <translation>添加字段</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>choice</source>
        <translation>选项</translation>
    </message>
    <message>
        <source>number</source>
        <translation>数字</translation>
    </message>
    <message>
        <source>tick</source>
        <translation>勾选</translation>
    </message>
    <message>
        <source>text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Choices</source>
        <translation>选项</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>{key} is already used for “{action}”: choose another key</source>
        <translation>{key} 已用于“{action}”：请另选一个键</translation>
    </message>
</context>
<context>
    <name>FieldsRow</name>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>FiguresPage</name>
    <message>
        <source>The left one was preferred in {left} of {n} decided; half is fair.</source>
        <translation>在分出优劣的 {n} 对中，左侧被选中 {left} 次；一半为公平。</translation>
    </message>
    <message>
        <source>Pairwise</source>
        <translation>两两比较</translation>
    </message>
    <message>
        <source>From the sums of one rater&apos;s scores for two inspections of one spectrum.</source>
        <translation>由同一评分人对同一光谱的两次检视的总分得出。</translation>
    </message>
    <message>
        <source>Pairs by score</source>
        <translation>按评分配对</translation>
    </message>
    <message>
        <source>Nothing has been rated yet.</source>
        <translation>尚未评分。</translation>
    </message>
    <message>
        <source>{name}: histogram</source>
        <translation>{name}：直方图</translation>
    </message>
    <message>
        <source>{name}: cumulative</source>
        <translation>{name}：累积分布</translation>
    </message>
    <message>
        <source>Agreement of raters: {name} (Spearman)</source>
        <translation>评分人之间的一致性：{name}（Spearman）</translation>
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
        <source>Comments and files</source>
        <translation>评语与文件</translation>
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
        <source>Standard comments, one per line</source>
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
        <source>Example: verdict:unjudged snr&gt;10 flag:star. All conditions must hold; or, not and parentheses work too. Press Enter to apply the filter at once.</source>
        <translation>例如：verdict:unjudged snr&gt;10 flag:star。所有条件须同时满足，也可使用 or、not 和括号。按回车立即应用筛选。</translation>
    </message>
    <message>
        <source>Order of the queue</source>
        <translation>队列的顺序</translation>
    </message>
    <message>
        <source>S/N</source>
        <translation>信噪比</translation>
    </message>
    <message>
        <source>{column}, falling</source>
        <translation>{column} 降序</translation>
    </message>
    <message>
        <source>{column}, rising</source>
        <translation>{column} 升序</translation>
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
        <source>unreadable</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>as listed</source>
        <translation>列表顺序</translation>
    </message>
    <message>
        <source>highest score</source>
        <translation>评分最高</translation>
    </message>
    <message>
        <source>highest S/N</source>
        <translation>信噪比最高</translation>
    </message>
    <message>
        <source>highest p(YES)</source>
        <translation>p(YES) 最高</translation>
    </message>
    <message>
        <source>highest with catalogues</source>
        <translation>合并星表后最高</translation>
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
        <source>agents disagree first</source>
        <translation>智能体有分歧者优先</translation>
    </message>
    <message>
        <source>by right ascension</source>
        <translation>按赤经</translation>
    </message>
    <message>
        <source>by name</source>
        <translation>按名称</translation>
    </message>
    <message>
        <source>random</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>learned: best first</source>
        <translation>学习：最佳者优先</translation>
    </message>
    <message>
        <source>learned: most uncertain first</source>
        <translation>学习：最不确定者优先</translation>
    </message>
    <message>
        <source>learned: best, one in ten at random</source>
        <translation>学习：最佳者，十分之一随机</translation>
    </message>
    <message>
        <source>only mine</source>
        <translation>只看我的</translation>
    </message>
    <message>
        <source>learned: a sub-class or a flag</source>
        <translation>学习：子类或标记</translation>
    </message>
    <message>
        <source>learned: {what}</source>
        <translation>学习：{what}</translation>
    </message>
    <message>
        <source>Only what is assigned to you; press again for all</source>
        <translation>只显示分配给你的候选体；再按一次显示全部</translation>
    </message>
    <message>
        <source>most like the present one</source>
        <translation>与当前最相似</translation>
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
        <source>No object in the list matches {name}</source>
        <translation>列表中没有与 {name} 相符的天体</translation>
    </message>
</context>
<context>
    <name>FindDialog</name>
    <message>
        <source>Find in a folder</source>
        <translation>在文件夹中寻找</translation>
    </message>
    <message>
        <source>Choose a folder of spectra, and start. Every spectrum is looked at once, for all classes; what may be a member is inspected in full. The best are shown here as they are found. You may stop at any time and go on later.</source>
        <translation>请选择光谱文件夹，然后开始。每条光谱只看一次，同时针对所有类别；可能是成员的会完整检查。找到的最佳结果会随时显示在这里。您可以随时停止，以后再继续。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Make a session…</source>
        <translation>建立会话…</translation>
    </message>
    <message>
        <source>You can choose once the first results are written, each minute.</source>
        <translation>首批结果写入后（每分钟一次）即可挑选。</translation>
    </message>
</context>
<context>
    <name>FitTool</name>
    <message>
        <source>Measure a line first: the fit is of it</source>
        <translation>请先测量一条谱线，拟合针对它进行</translation>
    </message>
    <message>
        <source>Fit a Gaussian to {what}</source>
        <translation>用高斯轮廓拟合 {what}</translation>
    </message>
    <message>
        <source>Fit a Voigt profile to {what}</source>
        <translation>用 Voigt 轮廓拟合 {what}</translation>
    </message>
</context>
<context>
    <name>FlagMenu</name>
    <message>
        <source>{key}    Custom…</source>
        <translation>{key}    自定义…</translation>
    </message>
</context>
<context>
    <name>FlagRow</name>
    <message>
        <source>Custom flag</source>
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
        <source>This session is read-only: flags cannot be saved</source>
        <translation>此会话为只读：无法保存标记</translation>
    </message>
    <message>
        <source>Remove the flag {name}</source>
        <translation>去掉标记“{name}”</translation>
    </message>
</context>
<context>
    <name>FoldersQuestion</name>
    <message>
        <source>This session names spectra outside its own folder.</source>
        <translation>此会话引用了其所在文件夹以外的光谱。</translation>
    </message>
    <message>
        <source>Read them only if you trust where the session comes from: what you export or pack may contain them.</source>
        <translation>请仅在信任此会话来源时读取：您导出或打包的内容可能包含这些光谱。</translation>
    </message>
    <message>
        <source>Read them</source>
        <translation>读取</translation>
    </message>
</context>
<context>
    <name>FoundPictures</name>
    <message>
        <source>p(YES) against S/N</source>
        <translation>p(YES) 与信噪比</translation>
    </message>
    <message>
        <source>Places in the sky</source>
        <translation>天空中的位置</translation>
    </message>
    <message>
        <source>Filled: in the choice. Open: not in it. Click a point for its name.</source>
        <translation>实心：已挑选。空心：未挑选。点击一个点可看其名称。</translation>
    </message>
    <message>
        <source>S/N</source>
        <translation>信噪比</translation>
    </message>
    <message>
        <source>RA (degrees)</source>
        <translation>赤经（度）</translation>
    </message>
    <message>
        <source>Dec (degrees)</source>
        <translation>赤纬（度）</translation>
    </message>
</context>
<context>
    <name>FoundView</name>
    <message>
        <source>The best so far</source>
        <translation>目前最佳</translation>
    </message>
    <message>
        <source>Not read</source>
        <translation>未读取</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>找到的</translation>
    </message>
    <message>
        <source>{n} spectra in the table</source>
        <translation>表中有 {n} 条光谱</translation>
    </message>
    <message>
        <source>1 spectrum</source>
        <translation>1 条光谱</translation>
    </message>
    <message>
        <source>Object</source>
        <translation>天体</translation>
    </message>
    <message>
        <source>S/N</source>
        <translation>信噪比</translation>
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
        <source>Not read: {n}</source>
        <translation>未读取：{n}</translation>
    </message>
</context>
<context>
    <name>GroupActs</name>
    <message>
        <source>Not judged: these spectra cannot be read</source>
        <translation>未判定：这些光谱无法读取</translation>
    </message>
    <message>
        <source>Only what is accepted has a sub-class</source>
        <translation>只有被接受的天体才有子类</translation>
    </message>
    <message>
        <source>Nothing to undo</source>
        <translation>没有可撤销的操作</translation>
    </message>
    <message>
        <source>Nothing to redo</source>
        <translation>没有可重做的操作</translation>
    </message>
    <message>
        <source>This session is read-only: verdicts cannot be saved</source>
        <translation>此会话为只读：无法保存判定</translation>
    </message>
    <message>
        <source>Saved: {n} changed. Undo takes all of it back</source>
        <translation>已保存：更改了 {n} 个，一次撤销即可全部收回</translation>
    </message>
    <message>
        <source>Nothing to change</source>
        <translation>没有需要更改的</translation>
    </message>
    <message>
        <source>Saved: {n} changed. Known answers among them: {k}, judged right: {r}</source>
        <translation>已保存：更改 {n} 个。其中已知答案 {k} 个，判对 {r} 个</translation>
    </message>
    <message>
        <source>Changed back: {n}</source>
        <translation>已改回：{n} 个</translation>
    </message>
    <message>
        <source>Saving; thousands take a minute…</source>
        <translation>正在保存；数千个需要一分钟…</translation>
    </message>
</context>
<context>
    <name>GroupTools</name>
    <message>
        <source>Open the first of 2 to {n} selected spectra with the others over it</source>
        <translation>打开选中的 2 至 {n} 条光谱中的第一条，并叠加其余各条</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Export the selected candidates</source>
        <translation>导出选中的候选体</translation>
    </message>
    <message>
        <source>Run the agent on the {n} selected</source>
        <translation>对选中的 {n} 个运行智能体</translation>
    </message>
    <message>
        <source>Compare the {n} selected</source>
        <translation>比较选中的 {n} 个</translation>
    </message>
    <message>
        <source>Export the {n} selected</source>
        <translation>导出选中的 {n} 个</translation>
    </message>
    <message>
        <source>Stop the agent</source>
        <translation>停止智能体</translation>
    </message>
    <message>
        <source>Stop the run of the agent</source>
        <translation>停止智能体的运行</translation>
    </message>
    <message>
        <source>Run the agent on the selected candidates</source>
        <translation>对选中的候选体运行智能体</translation>
    </message>
    <message>
        <source>Run the agent</source>
        <translation>运行智能体</translation>
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
        <source>Guide pages</source>
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
        <source>Guide page</source>
        <translation>指南页面</translation>
    </message>
</context>
<context>
    <name>GuidelinePanel</name>
    <message>
        <source>There is no class to judge, and so no guideline.</source>
        <translation>没有要判定的类型，因此没有判读准则。</translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <source>SIMULATED</source>
        <translation>模拟光谱</translation>
    </message>
    <message>
        <source>S/N {value} (list)</source>
        <translation>信噪比 {value}（列表）</translation>
    </message>
    <message>
        <source>S/N {value} (file)</source>
        <translation>信噪比 {value}（文件）</translation>
    </message>
    <message>
        <source>{n} bad pixels</source>
        <translation>{n} 个坏像素</translation>
    </message>
</context>
<context>
    <name>HistoryCard</name>
    <message>
        <source>What happened to it</source>
        <translation>经过</translation>
    </message>
    <message>
        <source>The other audit is shown when the vote begins.</source>
        <translation>另一位的审核意见在表决开始后显示。</translation>
    </message>
    <message>
        <source>Nothing yet: it waits for screening.</source>
        <translation>尚无记录：等待筛选。</translation>
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
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>用时（秒）</translation>
    </message>
    <message>
        <source>Agent&apos;s result was shown</source>
        <translation>已显示的智能体结果</translation>
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
        <source>redone: {what}</source>
        <translation>已重做：{what}</translation>
    </message>
    <message>
        <source>hidden in blind mode</source>
        <translation>盲评模式下隐藏</translation>
    </message>
    <message>
        <source>to a script, perhaps</source>
        <translation>或为脚本所读</translation>
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
        <source>Entries are never deleted; an undo is an entry too. Click one to go to its object.</source>
        <translation>记录从不删除，撤销也记为一条。点击可转到该天体。</translation>
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
    <name>HrDiagram</name>
    <message>
        <source>Absolute G {m} (+{down} −{up}), BP − RP {colour}</source>
        <translation>绝对星等 G {m}（+{down} −{up}），BP − RP {colour}</translation>
    </message>
    <message>
        <source>The parallax is only {ratio} times its error: the star is brighter than absolute G {m} (two errors), so its place is a limit</source>
        <translation>视差只有其误差的 {ratio} 倍：该星亮于绝对星等 G {m}（两倍误差），因此其位置只是一个极限</translation>
    </message>
    <message>
        <source>No place: Gaia gives no parallax</source>
        <translation>没有位置：Gaia 没有给出视差</translation>
    </message>
    <message>
        <source>No place: Gaia gives no BP − RP</source>
        <translation>没有位置：Gaia 没有给出 BP − RP</translation>
    </message>
    <message>
        <source>No place: the parallax is {ratio} times its error, too far below zero for a limit</source>
        <translation>没有位置：视差是其误差的 {ratio} 倍，负得太多，无法给出极限</translation>
    </message>
    <message>
        <source>The zero point of the parallax, {zero} mas, is taken off</source>
        <translation>已扣除视差零点 {zero} mas</translation>
    </message>
    <message>
        <source>RUWE {ruwe}: the parallax may be wrong, as that of a close pair is</source>
        <translation>RUWE {ruwe}：视差可能有误，密近双星常如此</translation>
    </message>
    <message>
        <source>Behind all dust of the map, E(B − V) {ebv} ± {error}, it is at {m} ± {dust} and BP − RP {colour} (diamond). Some of it may lie behind the star, so that the truth is between the two</source>
        <translation>若位于尘埃图全部尘埃之后，E(B − V) {ebv} ± {error}，则为 {m} ± {dust}，BP − RP {colour}（菱形）。部分尘埃可能在恒星之后，真值介于两者之间</translation>
    </message>
    <message>
        <source>The background is schematic, made of published relations and not of stars. The round mark is not corrected for dust; below {ratio} errors of the parallax the place is a limit.</source>
        <translation>背景是示意性的，由已发表的关系而不是恒星样本做成。圆点未作尘埃改正；视差小于 {ratio} 倍误差时位置只是极限。</translation>
    </message>
    <message>
        <source>Dashed: roughly where most of this class lie: {name} ({source}).</source>
        <translation>虚线：此类大致所在之处：{name}（{source}）。</translation>
    </message>
</context>
<context>
    <name>HrPlot</name>
    <message>
        <source>Hertzsprung-Russell diagram</source>
        <translation>赫罗图</translation>
    </message>
    <message>
        <source>absolute G</source>
        <translation>绝对星等 G</translation>
    </message>
</context>
<context>
    <name>ImportPage</name>
    <message>
        <source>{name} cannot be imported as it is</source>
        <translation>{name} 无法按现状导入</translation>
    </message>
    <message>
        <source>Reading …</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>Choose the class to look for</source>
        <translation>请选择要寻找的类型</translation>
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
        <source>Import progress</source>
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
        <source>{done} row</source>
        <translation>{done} 行</translation>
    </message>
    <message>
        <source>Import summary</source>
        <translation>导入摘要</translation>
    </message>
    <message>
        <source>Stopped: nothing was imported</source>
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
        <source>Reason</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>All rows were imported.</source>
        <translation>所有行均已导入。</translation>
    </message>
    <message>
        <source>{count} candidates are ready</source>
        <translation>{count} 个候选体已就绪</translation>
    </message>
    <message>
        <source>{count} candidate is ready</source>
        <translation>{count} 个候选体已就绪</translation>
    </message>
    <message>
        <source>Missing files are looked for again when you open their candidate: their disk may not be mounted.</source>
        <translation>找不到的文件会在您打开其候选体时再次查找：其所在磁盘可能尚未挂载。</translation>
    </message>
    <message>
        <source>{count} rows name spectra in folders you have not allowed.</source>
        <translation>{count} 行的光谱位于尚未允许的文件夹中。</translation>
    </message>
    <message>
        <source>{count} row names a spectrum in a folder you have not allowed.</source>
        <translation>{count} 行的光谱位于尚未允许的文件夹中。</translation>
    </message>
    <message>
        <source>Go back to allow them and import again.</source>
        <translation>请返回允许后重新导入。</translation>
    </message>
    <message>
        <source>rows read</source>
        <translation>读取的行</translation>
    </message>
    <message>
        <source>imported</source>
        <translation>已导入</translation>
    </message>
    <message>
        <source>duplicates</source>
        <translation>重复</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>拒收</translation>
    </message>
    <message>
        <source>file not found</source>
        <translation>找不到文件</translation>
    </message>
    <message>
        <source>without a spectrum</source>
        <translation>没有光谱</translation>
    </message>
    <message>
        <source>Refused rows: first {shown} of {count}; the session stores more of them</source>
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
        <source>No object selected</source>
        <translation>未选择目标</translation>
    </message>
    <message>
        <source>Your opinion</source>
        <translation>您的意见</translation>
    </message>
    <message>
        <source>From your list</source>
        <translation>来自列表</translation>
    </message>
    <message>
        <source>From the file</source>
        <translation>来自文件</translation>
    </message>
    <message>
        <source>Other header keywords</source>
        <translation>文件头的其他关键字</translation>
    </message>
    <message>
        <source>Copy value</source>
        <translation>复制该值</translation>
    </message>
    <message>
        <source>Copy selection</source>
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
        <source>The agent is not running</source>
        <translation>智能体未在运行</translation>
    </message>
    <message>
        <source>The agent is not running on this candidate</source>
        <translation>智能体未在此候选体上运行</translation>
    </message>
    <message>
        <source>The agent&apos;s looks are hidden until you judge</source>
        <translation>在您判定之前，不显示智能体的查看</translation>
    </message>
    <message>
        <source>The agent has not looked at this candidate yet</source>
        <translation>智能体尚未查看此候选体</translation>
    </message>
    <message>
        <source>The agent is already running on the list</source>
        <translation>智能体已在列表上运行</translation>
    </message>
    <message>
        <source>There is no class to judge: the agent is off</source>
        <translation>没有要判定的类型：智能体已关闭</translation>
    </message>
    <message>
        <source>This session is read-only: results cannot be saved</source>
        <translation>此会话为只读：无法保存结果</translation>
    </message>
    <message>
        <source>the spectrum is still loading</source>
        <translation>光谱仍在读取</translation>
    </message>
    <message>
        <source>The agent cannot run: {why}</source>
        <translation>智能体无法运行：{why}</translation>
    </message>
    <message>
        <source>The agent is already running on this candidate</source>
        <translation>智能体已在此候选体上运行</translation>
    </message>
    <message>
        <source>Too many candidates are waiting for the agent already</source>
        <translation>等待智能体的候选体已经太多</translation>
    </message>
    <message>
        <source>Nothing to do: this model has inspected all that can be read of these</source>
        <translation>无需运行：其中可读取的，此模型均已检视</translation>
    </message>
</context>
<context>
    <name>JudgingPage</name>
    <message>
        <source>Compare with other spectra</source>
        <translation>与其他光谱比较</translation>
    </message>
</context>
<context>
    <name>Keymap</name>
    <message>
        <source>An action can have at most {count} keys: remove one first</source>
        <translation>一个操作最多可有 {count} 个按键：请先移除一个</translation>
    </message>
    <message>
        <source>{key} cannot be used</source>
        <translation>{key} 不能使用</translation>
    </message>
    <message>
        <source>{key} is already used for “{action}”: change that key first</source>
        <translation>{key} 已用于“{action}”：请先更改那个按键</translation>
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
        <source>Press any key to close. Change keys in Settings, Keys</source>
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
        <source>Remove keys</source>
        <translation>清除按键</translation>
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
        <source>Press a key for “{action}”, or Esc to cancel</source>
        <translation>请按下用于“{action}”的按键，按 Esc 取消</translation>
    </message>
</context>
<context>
    <name>KnownAnswerNote</name>
    <message>
        <source>This was a known {class} (simulated)</source>
        <translation>这是一个已知的 {class}（模拟光谱）</translation>
    </message>
    <message>
        <source>This was a known {class}</source>
        <translation>这是一个已知的 {class}</translation>
    </message>
</context>
<context>
    <name>KnownCard</name>
    <message>
        <source>Known answers</source>
        <translation>已知答案</translation>
    </message>
    <message>
        <source>Completeness: members that were accepted. Purity: members among those accepted, of what was hidden. With 95 % intervals; the first verdict counts, as the answer is told after it.</source>
        <translation>完备度：被接受的成员所占比例。纯度：隐藏的候选体中，被接受者里成员所占比例。附 95 % 置信区间；以第一次判定为准，因为答案在判定之后才告知。</translation>
    </message>
    <message>
        <source>Hidden by {name}.</source>
        <translation>由 {name} 隐藏。</translation>
    </message>
    <message>
        <source>No hidden candidate with a known answer has been judged. Hide known answers (menu File), or the command spec-o3 known, puts some into the list.</source>
        <translation>还没有人判定过隐藏的已知答案。“隐藏已知答案”（“文件”菜单）或命令 spec-o3 known 可在列表中放入一些。</translation>
    </message>
    <message>
        <source>completeness</source>
        <translation>完备度</translation>
    </message>
    <message>
        <source>purity</source>
        <translation>纯度</translation>
    </message>
    <message>
        <source>{name}: {a} of {m} members and {b} of {k} look-alikes accepted</source>
        <translation>{name}：接受了 {m} 个成员中的 {a} 个、{k} 个相似天体中的 {b} 个</translation>
    </message>
    <message>
        <source>; {t} of them judged with others in one act</source>
        <translation>；其中 {t} 个在一次操作中与其他一起判定</translation>
    </message>
    <message>
        <source>{name}: {first} correct at first, {last} at last, more than chance explains.</source>
        <translation>{name}：开始时 {first} 正确，最后 {last} 正确，差别超出偶然。</translation>
    </message>
    <message>
        <source>{name}, share correct in the course of time</source>
        <translation>{name}，正确比例随时间的变化</translation>
    </message>
</context>
<context>
    <name>KnownDialog</name>
    <message>
        <source>Hide known answers</source>
        <translation>隐藏已知答案</translation>
    </message>
    <message>
        <source>List of spectra with a column of labels</source>
        <translation>带标签列的光谱列表</translation>
    </message>
    <message>
        <source>Folder of the spectra, if not beside the list</source>
        <translation>光谱所在文件夹（若不在列表旁）</translation>
    </message>
    <message>
        <source>I trust this list: it may name spectra anywhere</source>
        <translation>我信任此列表：其中可有任何位置的光谱</translation>
    </message>
    <message>
        <source>How many</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Hide them</source>
        <translation>隐藏</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Spectra whose class is known take places in the list that nobody has judged, and look like any other until they are judged. They measure how many members each person misses and how many look-alikes they accept, and are in no catalogue. Nobody is told which they are, the lead neither.</source>
        <translation>类别已知的光谱占据列表中无人判定过的位置，判定之前与其他光谱无异。它们衡量每个人漏掉多少成员、接受多少相似天体，且不进入任何星表。没有人会被告知是哪些，负责人也不例外。</translation>
    </message>
    <message>
        <source>The session is opened anew. Run the agent and ask the catalogues only afterwards: an object without their answers would give itself away.</source>
        <translation>会话将重新打开。请在此之后再运行智能体、查询星表：缺少其结果的天体会暴露自己是已知答案。</translation>
    </message>
    <message>
        <source>Of the class: {n}. All labels: {labels}</source>
        <translation>属于该类：{n}。全部标签：{labels}</translation>
    </message>
    <message>
        <source>None is of the class: name those that are, below. All labels: {labels}</source>
        <translation>没有一个属于该类：请在下面写出属于该类的标签。全部标签：{labels}</translation>
    </message>
    <message>
        <source>Labels of the class</source>
        <translation>属于该类的标签</translation>
    </message>
    <message>
        <source>Name of the lead</source>
        <translation>负责人姓名</translation>
    </message>
    <message>
        <source>Reading the list…</source>
        <translation>正在读取列表…</translation>
    </message>
    <message>
        <source>This session is read-only</source>
        <translation>此会话为只读</translation>
    </message>
    <message>
        <source>Everything has been judged or seen: no place is left to hide one in.</source>
        <translation>全部已判定或看过：没有可用于隐藏的位置。</translation>
    </message>
    <message>
        <source>{n} in the list are untouched; then {percent} % of them are known.</source>
        <translation>列表中有 {n} 个尚未处理；隐藏后其中 {percent} % 的答案已知。</translation>
    </message>
</context>
<context>
    <name>KnownHider</name>
    <message>
        <source>Hiding known answers in {name}</source>
        <translation>正在 {name} 中隐藏已知答案</translation>
    </message>
    <message>
        <source>Hidden: {n} known answers, {members} of them members</source>
        <translation>已隐藏 {n} 个已知答案，其中 {members} 个为成员</translation>
    </message>
    <message>
        <source>. Run the agent on the list again, or they would be found out</source>
        <translation>。请再次对列表运行智能体，否则它们会被看出来</translation>
    </message>
</context>
<context>
    <name>LearnedLine</name>
    <message>
        <source>Learning from your verdicts; until then the queue stays as it is</source>
        <translation>正在从您的判定中学习；完成之前队列保持不变</translation>
    </message>
    <message>
        <source>Judge one yes and one no: the order learns from them</source>
        <translation>先判定一个“是”和一个“否”：该顺序由此学习</translation>
    </message>
    <message>
        <source>Learned from {n} verdicts; of the last {last}, {yes} yes</source>
        <translation>学自 {n} 次判定；最近 {last} 次中 {yes} 次为是</translation>
    </message>
    <message>
        <source>; of {random} at random, {hits}</source>
        <translation>；随机的 {random} 个中 {hits} 个</translation>
    </message>
    <message>
        <source>. At most {most} more in the {left} left (95 %)</source>
        <translation>。余下 {left} 个中至多还有 {most} 个（95 %）</translation>
    </message>
</context>
<context>
    <name>Leaving</name>
    <message>
        <source>The agent goes on with the list, which was left while it was running</source>
        <translation>智能体继续检视列表：上次离开时它还在运行</translation>
    </message>
    <message>
        <source>The agent is inspecting the list: {done} done, {left} to go.</source>
        <translation>智能体正在检视列表：已完成 {done} 个，还剩 {left} 个。</translation>
    </message>
    <message>
        <source>Leaving stops it. It goes on when you open this session again.</source>
        <translation>离开会使它停止；再次打开此会话时它会继续。</translation>
    </message>
    <message>
        <source>Leaving stops it. What it has so far is saved.</source>
        <translation>离开会使它停止。已有的结果均已保存。</translation>
    </message>
    <message>
        <source>Stop and leave</source>
        <translation>停止并离开</translation>
    </message>
    <message>
        <source>Stay</source>
        <translation>留下</translation>
    </message>
</context>
<context>
    <name>LineChoice</name>
    <message>
        <source>Task lines</source>
        <translation>任务所用谱线</translation>
    </message>
    <message>
        <source>Add line list…</source>
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
        <source>Add a line list</source>
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
        <source>This spectrum is simulated, so there is no web page about it</source>
        <translation>此光谱为模拟光谱，没有相应的网页</translation>
    </message>
    <message>
        <source>Neither the list nor the file gives a LAMOST obsid</source>
        <translation>列表和文件中都没有 LAMOST obsid</translation>
    </message>
    <message>
        <source>No object selected</source>
        <translation>未选择目标</translation>
    </message>
    <message>
        <source>Neither the list nor the file gives a sky position</source>
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
        <source>{count} spectrum so far</source>
        <translation>目前 {count} 条光谱</translation>
    </message>
    <message>
        <source>reading …</source>
        <translation>正在读取…</translation>
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
        <source>text table</source>
        <translation>文本表格</translation>
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
        <source>{count} more cannot be used</source>
        <translation>另有 {count} 行无法使用</translation>
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
        <source>the first {count} shown</source>
        <translation>显示前 {count} 行</translation>
    </message>
    <message>
        <source>row {n}: {why}</source>
        <translation>第 {n} 行：{why}</translation>
    </message>
</context>
<context>
    <name>ListRunLine</name>
    <message>
        <source>Candidates inspected in this list</source>
        <translation>此列表中已检视的候选体</translation>
    </message>
</context>
<context>
    <name>LockedPage</name>
    <message>
        <source>Only one program can write to a session at a time, so that no verdict is lost. Close the session there, or open it here read-only.</source>
        <translation>为避免丢失判定，同一会话同时只能由一个程序写入。请在那边关闭它，或在此只读打开。</translation>
    </message>
    <message>
        <source>Open read-only</source>
        <translation>只读打开</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Choose another session</source>
        <translation>另选一个会话</translation>
    </message>
    <message>
        <source>{name} is open in another program</source>
        <translation>{name} 已在另一个程序中打开</translation>
    </message>
    <message>
        <source>In use by: {who}</source>
        <translation>占用者：{who}</translation>
    </message>
</context>
<context>
    <name>Logo</name>
    <message>
        <source>Program logo</source>
        <translation>程序标志</translation>
    </message>
</context>
<context>
    <name>LookPanel</name>
    <message>
        <source>From, Å</source>
        <translation>起点，Å</translation>
    </message>
    <message>
        <source>To, Å</source>
        <translation>终点，Å</translation>
    </message>
    <message>
        <source>What the look is at</source>
        <translation>查看的内容</translation>
    </message>
    <message>
        <source>Picture of the look</source>
        <translation>本次查看的图</translation>
    </message>
    <message>
        <source>In the frame of the picture, in vacuum</source>
        <translation>以图的参考系为准，真空波长</translation>
    </message>
</context>
<context>
    <name>MeasureTool</name>
    <message>
        <source>Put the mouse on the continuum beside the line</source>
        <translation>请把鼠标放在谱线旁的连续谱上</translation>
    </message>
    <message>
        <source>Now the continuum on the other side of the line</source>
        <translation>再选谱线另一侧的连续谱</translation>
    </message>
    <message>
        <source>You measured nothing here</source>
        <translation>您在此处没有测量</translation>
    </message>
    <message>
        <source>Removed: {what}</source>
        <translation>已删除：{what}</translation>
    </message>
    <message>
        <source>Measured: {what}</source>
        <translation>已测量：{what}</translation>
    </message>
</context>
<context>
    <name>MergeDialog</name>
    <message>
        <source>Merge sessions of colleagues</source>
        <translation>合并同事的会话</translation>
    </message>
    <message>
        <source>Brings the verdicts, comments and answers of colleagues into this session. Their files stay as they are, and merging one again brings only what is new.</source>
        <translation>把同事的判定、评语和答案合并到此会话。他们的文件保持不变，再次合并只会带来新的内容。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Show the disagreements</source>
        <translation>查看分歧</translation>
    </message>
    <message>
        <source>Choose files…</source>
        <translation>选择文件…</translation>
    </message>
    <message>
        <source>Merging…</source>
        <translation>正在合并…</translation>
    </message>
    <message>
        <source>Files merged: {n}. New entries in the log: {lines}.</source>
        <translation>已合并文件：{n}。日志新增：{lines} 条。</translation>
    </message>
    <message>
        <source>{text} Given differently by one person on two machines: {n}.</source>
        <translation>{text}同一人在两台机器上判定不同：{n}。</translation>
    </message>
    <message>
        <source>{text} Disagreements to settle: {n}.</source>
        <translation>{text}待裁定的分歧：{n}。</translation>
    </message>
</context>
<context>
    <name>Minimap</name>
    <message>
        <source>Overview of the whole spectrum</source>
        <translation>全谱概览</translation>
    </message>
</context>
<context>
    <name>MissingFile</name>
    <message>
        <source>No missing file here that an archive is known to have</source>
        <translation>这里没有已知数据库中有的缺少文件</translation>
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
        <source>Server address</source>
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
        <source>Agent model</source>
        <translation>智能体的模型</translation>
    </message>
    <message>
        <source>Skipped: {what}</source>
        <translation>已略去：{what}</translation>
    </message>
    <message>
        <source>A server address begins with http:// or https://</source>
        <translation>服务器地址须以 http:// 或 https:// 开头</translation>
    </message>
    <message>
        <source>Choose a model folder</source>
        <translation>选择模型文件夹</translation>
    </message>
    <message>
        <source>Choose a GGUF file</source>
        <translation>选择 GGUF 文件</translation>
    </message>
</context>
<context>
    <name>NamePrompt</name>
    <message>
        <source>Welcome. Which name should your verdicts be saved under?</source>
        <translation>欢迎。您的判定以什么姓名保存？</translation>
    </message>
    <message>
        <source>Your name is saved with each verdict and stays on this computer.</source>
        <translation>姓名随每个判定一起保存，只留在本机。</translation>
    </message>
    <message>
        <source>Your name</source>
        <translation>您的姓名</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
</context>
<context>
    <name>NearbyModel</name>
    <message>
        <source>sep.</source>
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
        <source>No object selected</source>
        <translation>未选择目标</translation>
    </message>
    <message>
        <source>The list gives no position for this object</source>
        <translation>列表未给出此天体的坐标</translation>
    </message>
    <message>
        <source>No other epoch or neighbour within {radius} arcsec in this list</source>
        <translation>此列表中 {radius} 角秒内没有其他历元或邻近天体</translation>
    </message>
</context>
<context>
    <name>OfferBar</name>
    <message>
        <source>Open it, closing this session</source>
        <translation>打开（将关闭当前会话）</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>暂不</translation>
    </message>
    <message>
        <source>{program} sends the spectrum {name}</source>
        <translation>{program} 发来光谱 {name}</translation>
    </message>
    <message>
        <source>{program} sends the table {name}</source>
        <translation>{program} 发来表格 {name}</translation>
    </message>
</context>
<context>
    <name>Opening</name>
    <message>
        <source>Opening {name}</source>
        <translation>正在打开 {name}</translation>
    </message>
    <message>
        <source>Opening the sample</source>
        <translation>正在打开示例</translation>
    </message>
    <message>
        <source>Reopened where you were: the program ended without closing this session</source>
        <translation>已回到您当时的位置：程序上次退出时未关闭此会话</translation>
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
    <name>OutsideBox</name>
    <message>
        <source>This list names spectra outside its own folder by absolute paths or links:</source>
        <translation>此列表用绝对路径或链接指向其文件夹以外的光谱：</translation>
    </message>
    <message>
        <source>This list names spectra outside its own folder by absolute paths or links.</source>
        <translation>此列表用绝对路径或链接指向其文件夹以外的光谱。</translation>
    </message>
    <message>
        <source>Allow {folder} ({rows})</source>
        <translation>允许 {folder}（{rows}）</translation>
    </message>
    <message>
        <source>Allow these ({rows})</source>
        <translation>允许以上文件夹（{rows}）</translation>
    </message>
    <message>
        <source>{count} row</source>
        <translation>{count} 行</translation>
    </message>
    <message>
        <source>{count} rows</source>
        <translation>{count} 行</translation>
    </message>
    <message>
        <source>at least {count} row</source>
        <translation>至少 {count} 行</translation>
    </message>
    <message>
        <source>at least {count} rows</source>
        <translation>至少 {count} 行</translation>
    </message>
</context>
<context>
    <name>OverviewPage</name>
    <message>
        <source>Overview</source>
        <translation>总览</translation>
    </message>
    <message>
        <source>Open the overview first</source>
        <translation>请先打开总览</translation>
    </message>
    <message>
        <source>All on this sheet are judged</source>
        <translation>本页已全部判定</translation>
    </message>
    <message>
        <source>Select one or several candidates first</source>
        <translation>请先选中一个或多个候选体</translation>
    </message>
    <message>
        <source>Hidden during the repeat round</source>
        <translation>复核期间不显示</translation>
    </message>
    <message>
        <source>At most {n} candidates at once</source>
        <translation>一次最多 {n} 个候选体</translation>
    </message>
</context>
<context>
    <name>PairsPage</name>
    <message>
        <source>There is nothing to compare: no spectrum has inspections by two models in these files.</source>
        <translation>没有可比较的内容：这些文件中没有一条光谱有两个模型的检视。</translation>
    </message>
    <message>
        <source>The left one</source>
        <translation>左侧更好</translation>
    </message>
    <message>
        <source>Equally good</source>
        <translation>一样好</translation>
    </message>
    <message>
        <source>The right one</source>
        <translation>右侧更好</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>{at} of {all} · chosen: {done} · {name}</source>
        <translation>第 {at} 对，共 {all} 对 · 已选：{done} · {name}</translation>
    </message>
</context>
<context>
    <name>PicturePlace</name>
    <message>
        <source>Drawing…</source>
        <translation>正在绘制…</translation>
    </message>
</context>
<context>
    <name>PlotActions</name>
    <message>
        <source>There is no marked line on screen</source>
        <translation>屏幕上没有标记的谱线</translation>
    </message>
    <message>
        <source>There is no spectrum to save</source>
        <translation>没有可保存图像的光谱</translation>
    </message>
    <message>
        <source>Save a picture of the plot</source>
        <translation>保存光谱图</translation>
    </message>
    <message>
        <source>Save the spectrum on screen</source>
        <translation>保存屏幕上的光谱</translation>
    </message>
    <message>
        <source>Saved: {name}</source>
        <translation>已保存：{name}</translation>
    </message>
    <message>
        <source>Range and measurements copied to the clipboard</source>
        <translation>波长范围与测量值已复制到剪贴板</translation>
    </message>
</context>
<context>
    <name>PlotMenu</name>
    <message>
        <source>Go to window</source>
        <translation>转到诊断窗口</translation>
    </message>
    <message>
        <source>Copy {text}</source>
        <translation>复制 {text}</translation>
    </message>
    <message>
        <source>Go to the window the agent looks at</source>
        <translation>转到智能体正在查看的窗口</translation>
    </message>
    <message>
        <source>Show look {number} and its answer: {label}</source>
        <translation>显示第 {number} 次查看及其回答：{label}</translation>
    </message>
</context>
<context>
    <name>PoolRoom</name>
    <message>
        <source>You are {name}</source>
        <translation>你是 {name}</translation>
    </message>
    <message>
        <source>Curation room</source>
        <translation>审订室</translation>
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
    <name>PreviousObject</name>
    <message>
        <source>Comment on {object}</source>
        <translation>对 {object} 的评语</translation>
    </message>
    <message>
        <source>Comment, Enter</source>
        <translation>评语，回车</translation>
    </message>
    <message>
        <source>{object}:</source>
        <translation>{object}：</translation>
    </message>
    <message>
        <source>Flags of {object}</source>
        <translation>{object} 的标记</translation>
    </message>
    <message>
        <source>There is no previous object</source>
        <translation>没有上一个天体</translation>
    </message>
    <message>
        <source>This session is read-only</source>
        <translation>本会话为只读</translation>
    </message>
    <message>
        <source>Saved for {object}</source>
        <translation>已为 {object} 保存</translation>
    </message>
    <message>
        <source>Custom flag for {object}</source>
        <translation>{object} 的自定义标记</translation>
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
    <name>ProgramsPage</name>
    <message>
        <source>Other programs</source>
        <translation>其他程序</translation>
    </message>
    <message>
        <source>Connect to TOPCAT and others (SAMP)</source>
        <translation>连接 TOPCAT 等程序（SAMP）</translation>
    </message>
    <message>
        <source>Nothing leaves this machine: TOPCAT, Aladin and other programs on it see the list, the spectrum and the position that you send.</source>
        <translation>没有任何数据离开本机：本机上的 TOPCAT、Aladin 等程序会看到您发送的列表、光谱和坐标。</translation>
    </message>
    <message>
        <source>They can open a candidate here and send a table or a spectrum, which never closes an open session by itself.</source>
        <translation>它们可以在此打开候选体，也可以发来表格或光谱；这不会自行关闭已打开的会话。</translation>
    </message>
    <message>
        <source>SAMP</source>
        <translation>SAMP</translation>
    </message>
</context>
<context>
    <name>ProgressLine</name>
    <message>
        <source>Progress unknown</source>
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
        <source>All {done} judged</source>
        <translation>{done} 个已全部判定</translation>
    </message>
    <message>
        <source>{seconds} s each, about {time} to go</source>
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
        <source>The agent has no proposal</source>
        <translation>智能体没有建议</translation>
    </message>
    <message>
        <source>Agent: {answer}</source>
        <translation>智能体：{answer}</translation>
    </message>
    <message>
        <source>Use the agent&apos;s proposal</source>
        <translation>采纳智能体的建议</translation>
    </message>
</context>
<context>
    <name>QueueButton</name>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
</context>
<context>
    <name>QueueModel</name>
    <message>
        <source>sub-class</source>
        <translation>子类</translation>
    </message>
    <message>
        <source>p(YES) of spectrum and catalogues, not calibrated; dim: spectrum alone</source>
        <translation>光谱与星表合并的 p(YES)，未经校准；暗色：只有光谱</translation>
    </message>
    <message>
        <source>What the panel&apos;s members say where they disagree</source>
        <translation>合议成员意见不同时各自所说</translation>
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
        <source>Choose the columns</source>
        <translation>选择显示的列</translation>
    </message>
</context>
<context>
    <name>RangeControl</name>
    <message>
        <source>From</source>
        <translation>起</translation>
    </message>
    <message>
        <source>To</source>
        <translation>止</translation>
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
    <name>RatingButton</name>
    <message>
        <source>Rate</source>
        <translation>评分</translation>
    </message>
    <message>
        <source>Rate this inspection</source>
        <translation>给这次检视评分</translation>
    </message>
    <message>
        <source>Rated {n}</source>
        <translation>已评 {n} 分</translation>
    </message>
    <message>
        <source>There is no finished inspection to rate here</source>
        <translation>这里没有已完成的检视可评分</translation>
    </message>
    <message>
        <source>Rating taken back</source>
        <translation>已撤回评分</translation>
    </message>
    <message>
        <source>Rated {n}: {what}</source>
        <translation>已评 {n} 分：{what}</translation>
    </message>
</context>
<context>
    <name>RatingPage</name>
    <message>
        <source>{at} of {all} · rated: {done} · {name}</source>
        <translation>第 {at} 份，共 {all} 份 · 已评：{done} · {name}</translation>
    </message>
</context>
<context>
    <name>RatingRoom</name>
    <message>
        <source>Rating room</source>
        <translation>评分室</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>评分</translation>
    </message>
    <message>
        <source>Compare in pairs</source>
        <translation>两两比较</translation>
    </message>
    <message>
        <source>Figures (names the models)</source>
        <translation>图表（会显示模型名称）</translation>
    </message>
</context>
<context>
    <name>RatioPanel</name>
    <message>
        <source>Ratio or difference</source>
        <translation>比值或差值</translation>
    </message>
    <message>
        <source>Overlay a spectrum or a template to compare with</source>
        <translation>请叠加一条光谱或一个模板以作比较</translation>
    </message>
    <message>
        <source>Divided by {name}</source>
        <translation>除以 {name}</translation>
    </message>
    <message>
        <source>Less {name}</source>
        <translation>减去 {name}</translation>
    </message>
</context>
<context>
    <name>RecentList</name>
    <message>
        <source>Recent sessions</source>
        <translation>最近的会话</translation>
    </message>
    <message>
        <source>No sessions yet. Sessions you open are listed here with your progress.</source>
        <translation>暂无会话。您打开过的会话及其进度将列在这里。</translation>
    </message>
</context>
<context>
    <name>RecentRow</name>
    <message>
        <source>Remove from this list; the file is kept</source>
        <translation>从此列表移除；文件保留</translation>
    </message>
    <message>
        <source>Remove from this list</source>
        <translation>从此列表移除</translation>
    </message>
    <message>
        <source>file not found</source>
        <translation>找不到文件</translation>
    </message>
    <message>
        <source>cannot be opened</source>
        <translation>无法打开</translation>
    </message>
    <message>
        <source>team database</source>
        <translation>团队数据库</translation>
    </message>
    <message>
        <source>{done} of {total} judged</source>
        <translation>已判定 {done}，共 {total}</translation>
    </message>
</context>
<context>
    <name>RejectBelow</name>
    <message>
        <source>Reject the others…</source>
        <translation>排除其余…</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>This session is read-only: verdicts cannot be saved</source>
        <translation>此会话为只读：无法保存判定</translation>
    </message>
    <message>
        <source>Choose a candidate whose p(YES) is shown first</source>
        <translation>请先选择一个显示了 p(YES) 的候选体</translation>
    </message>
    <message>
        <source>Judge those drawn first: {n} left</source>
        <translation>请先判定抽出的候选体：还有 {n} 个</translation>
    </message>
    <message>
        <source>Too few are below p(YES) {p} to draw from: {n}</source>
        <translation>低于 p(YES) {p} 的太少，无法抽样：{n} 个</translation>
    </message>
    <message>
        <source>More than {most} are below p(YES) {p}: choose a lower one</source>
        <translation>低于 p(YES) {p} 的超过 {most} 个：请选择更低的值</translation>
    </message>
    <message>
        <source>Drawn at random from {total} below p(YES) {p}: {n} of {count} judged blind</source>
        <translation>从低于 p(YES) {p} 的 {total} 个中随机抽出：已盲评 {n}/{count} 个</translation>
    </message>
    <message>
        <source>Of {count} drawn from {total} below p(YES) {p} you rejected {r}, accepted {a} and were unsure of {u}. Among the other {rest} up to {most} may deserve no rejection (95 %). Reject all {rest}?</source>
        <translation>从低于 p(YES) {p} 的 {total} 个中抽出 {count} 个，您排除 {r} 个、接受 {a} 个、存疑 {u} 个。其余 {rest} 个中至多有 {most} 个可能不该排除（95 %）。全部排除这 {rest} 个？</translation>
    </message>
</context>
<context>
    <name>RepeatLine</name>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Back to the candidate you came from</source>
        <translation>回到原来的候选体</translation>
    </message>
    <message>
        <source>This session is read-only: verdicts cannot be saved</source>
        <translation>此会话为只读：无法保存判定</translation>
    </message>
    <message>
        <source>Nothing to repeat yet: one in twenty of your verdicts is repeated, after at least fifty others</source>
        <translation>暂无可复核的候选体：您的判定中每二十个复核一个，且其后须已有至少五十个其他判定</translation>
    </message>
    <message>
        <source>Your part of the study is done. Thank you</source>
        <translation>您在研究中的部分已完成，谢谢</translation>
    </message>
    <message>
        <source>Repeat {n} of {count}: judge it as if you had never seen it. Your first verdict stays.</source>
        <translation>复核第 {n} 个，共 {count} 个：请当作从未见过来判定。您先前的判定保持不变。</translation>
    </message>
    <message>
        <source>The agreement page shows how consistent your verdicts are</source>
        <translation>“一致性与校准”页面会显示您的判定前后是否一致</translation>
    </message>
    <message>
        <source>Study, {n} of {count}:</source>
        <translation>研究，第 {n} 个，共 {count} 个：</translation>
    </message>
    <message>
        <source>judge it without the agent.</source>
        <translation>请不参考智能体判定。</translation>
    </message>
    <message>
        <source>judge it with what the agent says.</source>
        <translation>请参考智能体给出的内容判定。</translation>
    </message>
    <message>
        <source>the agent says {verdict}.</source>
        <translation>智能体的结论是 {verdict}。</translation>
    </message>
    <message>
        <source>You have judged it before: your verdict now may be another.</source>
        <translation>您之前判定过它：现在的判定可以不同。</translation>
    </message>
</context>
<context>
    <name>ReviewerName</name>
    <message>
        <source>Judging as</source>
        <translation>判定者</translation>
    </message>
    <message>
        <source>Your name</source>
        <translation>您的姓名</translation>
    </message>
    <message>
        <source>Save</source>
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
    <name>ReviewerPage</name>
    <message>
        <source>Reviewer</source>
        <translation>判定者</translation>
    </message>
    <message>
        <source>Start new sessions in blind mode</source>
        <translation>新会话以盲评模式开始</translation>
    </message>
    <message>
        <source> arcsec</source>
        <translation> 角秒</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>Until the next verdict</source>
        <translation>直到下一次判定</translation>
    </message>
    <message>
        <source>Saved with each of your verdicts, starting with the next session you open</source>
        <translation>随您的每个判定一并保存，从下次打开的会话起生效</translation>
    </message>
    <message>
        <source>Your name</source>
        <translation>您的姓名</translation>
    </message>
    <message>
        <source>Hides the agent&apos;s verdict until you have given yours. For the open session, use the button at the top of the window.</source>
        <translation>在您给出判定之前隐藏智能体的判定。已打开的会话请用窗口顶部的按钮切换。</translation>
    </message>
    <message>
        <source>Blind mode</source>
        <translation>盲评模式</translation>
    </message>
    <message>
        <source>Radius for nearby objects</source>
        <translation>邻近天体的搜索半径</translation>
    </message>
    <message>
        <source>Off: a key opens the sub-classes of the object accepted last. On: after an accept, letters name its sub-class for this long instead of what they do otherwise.</source>
        <translation>关：按键打开上一个接受的天体的子类。开：接受之后的这段时间内，字母指定其子类，而不起平时的作用。</translation>
    </message>
    <message>
        <source>Quick sub-classes</source>
        <translation>快速子类</translation>
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
    <name>RoomOpener</name>
    <message>
        <source>Here people check inspections that a model has drafted, before it learns from them. Choose the folder of a pool, which “spec-o3-train curate import” makes.</source>
        <translation>在这里，人们检查模型起草的检视，然后模型才从中学习。请选择草稿池的文件夹，它由“spec-o3-train curate import”建立。</translation>
    </message>
    <message>
        <source>Curation room</source>
        <translation>审订室</translation>
    </message>
    <message>
        <source>Open a pool of drafts</source>
        <translation>打开草稿库</translation>
    </message>
    <message>
        <source>Here people rate how well models inspect, without seeing which model it was. Choose files of inspections (*.jsonl), as the export of a session writes them.</source>
        <translation>在这里，人们在不知道是哪个模型的情况下，为模型的检视评分。请选择检视文件（*.jsonl），即会话导出时写出的文件。</translation>
    </message>
    <message>
        <source>Rating room</source>
        <translation>评分室</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Guide</source>
        <translation>指南</translation>
    </message>
    <message>
        <source>Inspections</source>
        <translation>检视记录</translation>
    </message>
    <message>
        <source>Rate inspections</source>
        <translation>给检视评分</translation>
    </message>
</context>
<context>
    <name>RoundPage</name>
    <message>
        <source>Note (C)</source>
        <translation>备注（C）</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
</context>
<context>
    <name>RowMenu</name>
    <message>
        <source>Go to this object</source>
        <translation>转到此天体</translation>
    </message>
    <message>
        <source>Compare with the current spectrum</source>
        <translation>与当前光谱比较</translation>
    </message>
    <message>
        <source>Copy the name</source>
        <translation>复制名称</translation>
    </message>
    <message>
        <source>Copy RA Dec in degrees</source>
        <translation>复制赤经赤纬（度）</translation>
    </message>
    <message>
        <source>Copy RA Dec in hours and degrees</source>
        <translation>复制赤经赤纬（时角）</translation>
    </message>
    <message>
        <source>Open the folder of its file</source>
        <translation>打开文件所在文件夹</translation>
    </message>
</context>
<context>
    <name>SampReceiver</name>
    <message>
        <source>{program} points here: {arcsec} arcsec away</source>
        <translation>{program} 指向此处：相距 {arcsec} 角秒</translation>
    </message>
    <message>
        <source>{program} points at {position}: no candidate within {arcsec} arcsec</source>
        <translation>{program} 指向 {position}：{arcsec} 角秒内没有候选体</translation>
    </message>
    <message>
        <source>{program} picks rows of a table that is not open here</source>
        <translation>{program} 选中的行属于此处未打开的表格</translation>
    </message>
    <message>
        <source>{program} picks a row that is no candidate</source>
        <translation>{program} 选中的行不是候选体</translation>
    </message>
    <message>
        <source>{program} selects {n} candidates</source>
        <translation>{program} 选中 {n} 个候选体</translation>
    </message>
    <message>
        <source>{program} selects {n} candidates, of which {here} could be selected</source>
        <translation>{program} 选中 {n} 个候选体，其中 {here} 个可在此选中</translation>
    </message>
</context>
<context>
    <name>SampSender</name>
    <message>
        <source>Sending the list…</source>
        <translation>正在发送列表…</translation>
    </message>
    <message>
        <source>No object selected</source>
        <translation>未选择目标</translation>
    </message>
    <message>
        <source>Neither the list nor the file gives a sky position</source>
        <translation>列表和文件中都没有天球坐标</translation>
    </message>
    <message>
        <source>There is no spectrum to send</source>
        <translation>没有可发送的光谱</translation>
    </message>
    <message>
        <source>Sent to {programs}</source>
        <translation>已发送至 {programs}</translation>
    </message>
</context>
<context>
    <name>ScoreBar</name>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一份</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>回车</translation>
    </message>
</context>
<context>
    <name>SearchCard</name>
    <message>
        <source>Folder of spectra, or a list of them</source>
        <translation>光谱文件夹，或光谱列表</translation>
    </message>
    <message>
        <source>A list…</source>
        <translation>列表…</translation>
    </message>
    <message>
        <source>I trust this list or table: it may name spectra anywhere</source>
        <translation>我信任此列表或结果表：它可以引用任何位置的光谱</translation>
    </message>
    <message>
        <source>Folder of the table</source>
        <translation>结果表的文件夹</translation>
    </message>
    <message>
        <source>beside the folder of spectra</source>
        <translation>与光谱文件夹并列</translation>
    </message>
    <message>
        <source>Processes</source>
        <translation>进程数</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Starting the processes…</source>
        <translation>正在启动进程…</translation>
    </message>
    <message>
        <source>Stopping: what was found is written</source>
        <translation>正在停止：已找到的结果正在写入</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} / {total}</translation>
    </message>
    <message>
        <source>{n} a second</source>
        <translation>每秒 {n} 条</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>还需 {time}</translation>
    </message>
    <message>
        <source>Waiting, nothing can be written: {why}</source>
        <translation>正在等待，无法写入：{why}</translation>
    </message>
    <message>
        <source>All of it has been looked at</source>
        <translation>已全部看过</translation>
    </message>
    <message>
        <source>Stopped. Start again to go on where it was.</source>
        <translation>已停止。再次开始即可从原处继续。</translation>
    </message>
    <message>
        <source>The last ones could not be written, and come again: {why}</source>
        <translation>最后的一些无法写入，下次会重新看：{why}</translation>
    </message>
    <message>
        <source>{n} looked at</source>
        <translation>已看 {n} 条</translation>
    </message>
    <message>
        <source>{n} in full</source>
        <translation>完整检查 {n} 条</translation>
    </message>
    <message>
        <source>{n} not read</source>
        <translation>{n} 个未读取</translation>
    </message>
    <message>
        <source>{n} from before</source>
        <translation>{n} 个先前已看</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
</context>
<context>
    <name>SedPlot</name>
    <message>
        <source>Spectral energy distribution</source>
        <translation>光谱能量分布</translation>
    </message>
    <message>
        <source>wavelength / µm</source>
        <translation>波长 / µm</translation>
    </message>
</context>
<context>
    <name>SedView</name>
    <message>
        <source>Magnitudes of the spectrum</source>
        <translation>光谱的星等</translation>
    </message>
    <message>
        <source>Filled: catalogues, with the width of the band. Circles: magnitudes of the spectrum in top-hat bands, an approximation good to about 0.1 mag. f_λ in erg/s/cm²/Å.</source>
        <translation>实心：星表，并画出波段宽度。圆圈：光谱在矩形波段内的星等，这一近似约准到 0.1 mag。f_λ 以 erg/s/cm²/Å 为单位。</translation>
    </message>
    <message>
        <source>Table: magnitude in the catalogue / of the spectrum (difference).</source>
        <translation>表中：星表的星等 / 光谱的星等（差）。</translation>
    </message>
    <message>
        <source>The spectrum&apos;s flux is relative: it is moved to agree on average.</source>
        <translation>光谱流量是相对的：已平移到平均相符。</translation>
    </message>
    <message>
        <source>Magnitude in the catalogue, and of the spectrum</source>
        <translation>星表中的星等与光谱的星等</translation>
    </message>
    <message>
        <source>⚠ {band} of the spectrum is off by {by} mag against the other bands: a wrong fibre, a neighbour in it, or variability?</source>
        <translation>⚠ 光谱的 {band} 与其他波段相比差 {by} mag：光纤有误、混入近邻，还是光变？</translation>
    </message>
    <message>
        <source>⚠ The spectrum is off by {by} mag in all bands: another object, or much light lost?</source>
        <translation>⚠ 光谱在所有波段都差 {by} mag：是另一个天体，还是损失了很多光？</translation>
    </message>
</context>
<context>
    <name>ServiceBox</name>
    <message>
        <source>Sends: {what}</source>
        <translation>发送：{what}</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Release</source>
        <translation>版本</translation>
    </message>
</context>
<context>
    <name>ServicesPage</name>
    <message>
        <source>Services</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>What others know of an object, in the Evidence panel. Nothing is asked of a service that is not turned on here. What is sent is what each one says, and as with every web page the service sees the address of this computer.</source>
        <translation>别人对天体所知的信息，显示在旁证面板中。没有在此启用的服务不会被查询。发送的内容如各项所述；与访问任何网页一样，服务方能看到这台计算机的地址。</translation>
    </message>
    <message>
        <source>Not saved: an address starts with https://</source>
        <translation>未保存：地址应以 https:// 开头</translation>
    </message>
</context>
<context>
    <name>SessionCard</name>
    <message>
        <source>Session</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Session file</source>
        <translation>会话文件</translation>
    </message>
    <message>
        <source>Spectra folder, if not next to the list</source>
        <translation>光谱文件夹（如不与列表同处）</translation>
    </message>
    <message>
        <source>next to the list</source>
        <translation>与列表同处</translation>
    </message>
    <message>
        <source>Blind mode</source>
        <translation>盲评模式</translation>
    </message>
    <message>
        <source>Hides the agent&apos;s verdict until I have judged</source>
        <translation>在我判定之前隐藏智能体的判定</translation>
    </message>
    <message>
        <source>Give the session file a name</source>
        <translation>请为会话文件命名</translation>
    </message>
    <message>
        <source>Not a folder</source>
        <translation>不是文件夹</translation>
    </message>
</context>
<context>
    <name>SessionView</name>
    <message>
        <source>Not while you judge for a study</source>
        <translation>您正在为研究作判定，不能进行此操作</translation>
    </message>
    <message>
        <source>{n} second opinions were asked for since the last time</source>
        <translation>自上次以来请求了 {n} 个第二意见</translation>
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
    <name>SettingsStore</name>
    <message>
        <source>Invalid settings were reset to their defaults ({why}). {where}</source>
        <translation>无效的设置已恢复默认值（{why}）。{where}</translation>
    </message>
    <message>
        <source>The old file was saved as {name}</source>
        <translation>原文件已另存为 {name}</translation>
    </message>
    <message>
        <source>The old file could not be saved</source>
        <translation>原文件未能保存</translation>
    </message>
    <message>
        <source>Settings cannot be saved and are lost when the window closes: {path} cannot be written ({why})</source>
        <translation>设置无法保存，关闭窗口后将丢失：无法写入 {path}（{why}）</translation>
    </message>
</context>
<context>
    <name>ShareDialog</name>
    <message>
        <source>Share the list out</source>
        <translation>分配列表</translation>
    </message>
    <message>
        <source>Names separated by commas</source>
        <translation>姓名，以逗号分隔</translation>
    </message>
    <message>
        <source>Given to two people, %</source>
        <translation>分给两人的比例，%</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Take back first what people have not judged</source>
        <translation>先收回各人尚未判定的候选体</translation>
    </message>
    <message>
        <source>Put the spectra into the files</source>
        <translation>把光谱放入文件</translation>
    </message>
    <message>
        <source>Not shared out yet: everybody has all of it.</source>
        <translation>尚未分配：每个人都有全部候选体。</translation>
    </message>
    <message>
        <source>Write one file for each…</source>
        <translation>为每人写一个文件…</translation>
    </message>
    <message>
        <source>Share out</source>
        <translation>分配</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Each object goes to one person, by chance; some go to two, to measure how well people agree. Names are those under which people judge. Another person is asked where the rule is true of a verdict.</source>
        <translation>每个天体随机分给一人；一部分分给两人，以衡量彼此的一致程度。姓名须与各人判定时所用的一致。当某个判定符合规则时，再请另一人判定。</translation>
    </message>
    <message>
        <source>People</source>
        <translation>人员</translation>
    </message>
    <message>
        <source>Second opinion when</source>
        <translation>请求第二意见的条件</translation>
    </message>
    <message>
        <source>given</source>
        <translation>已分配</translation>
    </message>
    <message>
        <source>judged</source>
        <translation>已判定</translation>
    </message>
    <message>
        <source>left</source>
        <translation>剩余</translation>
    </message>
    <message>
        <source>second opinions</source>
        <translation>第二意见</translation>
    </message>
    <message>
        <source>{n} files written, the first is {path}</source>
        <translation>已写入 {n} 个文件，第一个是 {path}</translation>
    </message>
    <message>
        <source>{n} given out, {two} of them to two people</source>
        <translation>已分配 {n} 个，其中 {two} 个分给两人</translation>
    </message>
</context>
<context>
    <name>SheetBar</name>
    <message>
        <source>Size of the cells</source>
        <translation>格子大小</translation>
    </message>
    <message>
        <source>Sheet {n} of {count}</source>
        <translation>第 {n} 页，共 {count} 页</translation>
    </message>
    <message>
        <source>Whole spectrum</source>
        <translation>整条光谱</translation>
    </message>
    <message>
        <source>Show the next diagnostic window in all cells</source>
        <translation>在所有格子中显示下一个诊断窗口</translation>
    </message>
    <message>
        <source>Reject all on this sheet that are not judged</source>
        <translation>排除本页所有尚未判定的候选体</translation>
    </message>
    <message>
        <source>Reject the rest</source>
        <translation>排除其余</translation>
    </message>
    <message>
        <source>Reject all whose p(YES) is below that of the chosen one, after you have judged 5 % of them blind</source>
        <translation>盲评其中 5 % 之后，排除 p(YES) 低于所选候选体的全部候选体</translation>
    </message>
    <message>
        <source>Reject below…</source>
        <translation>排除以下…</translation>
    </message>
</context>
<context>
    <name>SheetView</name>
    <message>
        <source>not covered</source>
        <translation>未覆盖</translation>
    </message>
</context>
<context>
    <name>SimilarCell</name>
    <message>
        <source>{name}: likeness {number}</source>
        <translation>{name}：相似度 {number}</translation>
    </message>
    <message>
        <source>A click lays it over the spectrum, a double click goes there</source>
        <translation>单击叠加到光谱上，双击转到该候选体</translation>
    </message>
    <message>
        <source>compared</source>
        <translation>已叠加</translation>
    </message>
</context>
<context>
    <name>SimilarPanel</name>
    <message>
        <source>Similar spectra</source>
        <translation>相似光谱</translation>
    </message>
    <message>
        <source>This spectrum has too little in common with others</source>
        <translation>此光谱可与其他光谱比较的内容太少</translation>
    </message>
    <message>
        <source>{known} of {total} read</source>
        <translation>已读取 {known} / {total}</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>among {known} spectra</source>
        <translation>共 {known} 条光谱</translation>
    </message>
    <message>
        <source>The queue is ordered by {n} examples and {m} counter-examples</source>
        <translation>队列按 {n} 个正例和 {m} 个反例排列</translation>
    </message>
    <message>
        <source>Go to this object</source>
        <translation>转到此天体</translation>
    </message>
    <message>
        <source>Take it off the spectrum</source>
        <translation>从光谱上移除</translation>
    </message>
    <message>
        <source>Lay it over the spectrum</source>
        <translation>叠加到光谱上</translation>
    </message>
    <message>
        <source>More like this one, too</source>
        <translation>也要像这一条</translation>
    </message>
    <message>
        <source>Less like this one</source>
        <translation>不要像这一条</translation>
    </message>
</context>
<context>
    <name>SimilarPlace</name>
    <message>
        <source>No object selected</source>
        <translation>未选择目标</translation>
    </message>
    <message>
        <source>The queue shows the spectra most like {name} first</source>
        <translation>队列按与 {name} 的相似度排列</translation>
    </message>
</context>
<context>
    <name>SkyPictureView</name>
    <message>
        <source>Picture of the sky</source>
        <translation>天区图像</translation>
    </message>
    <message>
        <source>{survey}, about {year}; {size}&quot; wide, north up, east left.</source>
        <translation>{survey}，约 {year} 年；宽 {size}&quot;，上北左东。</translation>
    </message>
    <message>
        <source>Ring: {width}&quot; around the position; the fibre is not known.</source>
        <translation>圆环：位置周围 {width}&quot;；光纤口径未知。</translation>
    </message>
    <message>
        <source>Ring: the fibre, {width}&quot; across.</source>
        <translation>圆环：光纤，直径 {width}&quot;。</translation>
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
    <name>SourceCard</name>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Reveal</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Nearer match</source>
        <translation>较近的匹配</translation>
    </message>
    <message>
        <source>Farther match</source>
        <translation>较远的匹配</translation>
    </message>
    <message>
        <source>Archive page</source>
        <translation>数据库页面</translation>
    </message>
    <message>
        <source>{apart} away</source>
        <translation>相距 {apart}</translation>
    </message>
    <message>
        <source>{apart} away, nearest of {count}</source>
        <translation>相距 {apart}，{count} 个中最近</translation>
    </message>
    <message>
        <source>{apart} away, {number} of {count}</source>
        <translation>相距 {apart}，{count} 个中第 {number} 个</translation>
    </message>
    <message>
        <source>hidden</source>
        <translation>已隐藏</translation>
    </message>
    <message>
        <source>not asked</source>
        <translation>未查询</translation>
    </message>
    <message>
        <source>asking</source>
        <translation>查询中</translation>
    </message>
    <message>
        <source>found</source>
        <translation>找到</translation>
    </message>
    <message>
        <source>nothing there</source>
        <translation>没有天体</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Blind mode: hidden until your verdict, as it may give the class away</source>
        <translation>盲评模式：在您判定之前隐藏，因为它可能泄露类别</translation>
    </message>
    <message>
        <source>No answer, so nobody knows whether something is there: {reason}</source>
        <translation>没有得到回答，因此不知道那里有没有天体：{reason}</translation>
    </message>
    <message>
        <source>It answered: nothing within {radius} arcsec</source>
        <translation>服务已回答：{radius} 角秒内没有天体</translation>
    </message>
    <message>
        <source>Asked, or waiting for its turn</source>
        <translation>已查询，或正在等候</translation>
    </message>
    <message>
        <source>Asked {when} UTC</source>
        <translation>查询于 {when} UTC</translation>
    </message>
    <message>
        <source>No web browser could be opened. The address is {url}</source>
        <translation>无法打开浏览器。地址是 {url}</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Copy value</source>
        <translation>复制数值</translation>
    </message>
    <message>
        <source>Copy position</source>
        <translation>复制位置</translation>
    </message>
    <message>
        <source>Filter by this value</source>
        <translation>按此值筛选</translation>
    </message>
    <message>
        <source>Filter: at least this</source>
        <translation>筛选：不小于此值</translation>
    </message>
    <message>
        <source>Filter: at most this</source>
        <translation>筛选：不大于此值</translation>
    </message>
</context>
<context>
    <name>SpectrumPanel</name>
    <message>
        <source>Spectrum</source>
        <translation>光谱</translation>
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
</context>
<context>
    <name>StateBlock</name>
    <message>
        <source>No candidate</source>
        <translation>没有候选体</translation>
    </message>
    <message>
        <source>This session is read-only: verdicts cannot be saved</source>
        <translation>此会话为只读：无法保存判定</translation>
    </message>
    <message>
        <source>✕ unreadable</source>
        <translation>✕ 无法读取</translation>
    </message>
    <message>
        <source>read-only</source>
        <translation>只读</translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详细信息</translation>
    </message>
    <message>
        <source>Error details to copy</source>
        <translation>错误详情，可复制</translation>
    </message>
</context>
<context>
    <name>StepCard</name>
    <message>
        <source>Copy text</source>
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
        <source>Rerun from this look</source>
        <translation>从此次查看重新运行</translation>
    </message>
    <message>
        <source>picture</source>
        <translation>图像</translation>
    </message>
</context>
<context>
    <name>StudyDialog</name>
    <message>
        <source>Reader study</source>
        <translation>判读研究</translation>
    </message>
    <message>
        <source>Names separated by commas</source>
        <translation>用逗号分隔的姓名</translation>
    </message>
    <message>
        <source>All that it says</source>
        <translation>给出的全部内容</translation>
    </message>
    <message>
        <source>Its verdict alone</source>
        <translation>只有结论</translation>
    </message>
    <message>
        <source>List with labels, of those whose answer is known</source>
        <translation>带标签的列表，其中者答案已知</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Measures what people find without the agent and with it. Who judges what in which way is drawn by lot, written into a plan and frozen: nobody may have judged before, and the agent must have inspected the list. From then on the window shows each of these people one object after the other, and nothing that the plan hides.</source>
        <translation>衡量人在不参考和参考智能体时各能发现什么。谁以何种方式判定什么由抽签决定，写入计划并冻结：此前不得有人判定过，且智能体须已检查过列表。此后窗口向这些人逐个显示天体，计划隐藏的一概不显示。</translation>
    </message>
    <message>
        <source>People</source>
        <translation>参与者</translation>
    </message>
    <message>
        <source>Each object</source>
        <translation>每个天体</translation>
    </message>
    <message>
        <source>Shown of the agent</source>
        <translation>显示智能体的</translation>
    </message>
    <message>
        <source>Labels of the class</source>
        <translation>该类的标签</translation>
    </message>
    <message>
        <source>Freeze the plan</source>
        <translation>冻结计划</translation>
    </message>
    <message>
        <source>Write the report…</source>
        <translation>写报告…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Written: {name}</source>
        <translation>已写入：{name}</translation>
    </message>
    <message>
        <source>{count} objects. {design}. Frozen at {at} (UTC); SHA-256 of the plan {hash}</source>
        <translation>{count} 个天体。{design}。冻结于 {at}（UTC）；计划的 SHA-256 为 {hash}</translation>
    </message>
    <message>
        <source>judged</source>
        <translation>已判定</translation>
    </message>
    <message>
        <source>left</source>
        <translation>剩余</translation>
    </message>
</context>
<context>
    <name>SubclassKeys</name>
    <message>
        <source>Sub-class</source>
        <translation>子类</translation>
    </message>
    <message>
        <source>This class has no sub-classes</source>
        <translation>该类没有子类</translation>
    </message>
    <message>
        <source>Only what is accepted has a sub-class</source>
        <translation>只有被接受的天体才有子类</translation>
    </message>
    <message>
        <source>Nothing was accepted before</source>
        <translation>此前没有接受过天体</translation>
    </message>
    <message>
        <source>Letters now name the sub-class of {object}</source>
        <translation>字母现在指定 {object} 的子类</translation>
    </message>
    <message>
        <source>{object} is {subclass}</source>
        <translation>{object} 是 {subclass}</translation>
    </message>
</context>
<context>
    <name>SubclassMenu</name>
    <message>
        <source>No sub-class</source>
        <translation>没有子类</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>value, Enter</source>
        <translation>输入值，回车</translation>
    </message>
</context>
<context>
    <name>TableParts</name>
    <message>
        <source>Hidden while you judge for a study</source>
        <translation>为研究作判定时隐藏</translation>
    </message>
    <message>
        <source>Hidden during the repeat round</source>
        <translation>复核期间不显示</translation>
    </message>
    <message>
        <source>No candidates yet: open a list (Ctrl+N)</source>
        <translation>尚无候选体：请打开列表 (Ctrl+N)</translation>
    </message>
    <message>
        <source>No candidate matches the filter: clear it to see all</source>
        <translation>没有符合筛选条件的候选体：清除筛选可查看全部</translation>
    </message>
</context>
<context>
    <name>TakeoverBar</name>
    <message>
        <source>Remark for the agent, Enter sends it</source>
        <translation>给智能体的提示，按回车发送</translation>
    </message>
    <message>
        <source>Remark for the agent</source>
        <translation>给智能体的提示</translation>
    </message>
    <message>
        <source>This model cannot read remarks</source>
        <translation>该模型读不懂提示</translation>
    </message>
    <message>
        <source>Show this window</source>
        <translation>展示此窗口</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Show the agent the visible part of the spectrum before its next turn</source>
        <translation>在下一轮之前让智能体看到屏幕上的这段光谱</translation>
    </message>
    <message>
        <source>Resume the agent</source>
        <translation>让智能体继续</translation>
    </message>
    <message>
        <source>The agent will read this before its next turn</source>
        <translation>智能体将在下一轮之前读到</translation>
    </message>
    <message>
        <source>The agent will see this window before its next turn</source>
        <translation>智能体将在下一轮之前看到此窗口</translation>
    </message>
</context>
<context>
    <name>TaskChooser</name>
    <message>
        <source>What are you looking for?</source>
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
        <source>Your own class, described in a task file</source>
        <translation>以任务文件描述的自定义类型</translation>
    </message>
    <message>
        <source>Class guideline</source>
        <translation>该类型的判读准则</translation>
    </message>
    <message>
        <source>Just look, without a class</source>
        <translation>仅查看，不选类型</translation>
    </message>
    <message>
        <source>The guideline of the class is shown here, as the agent reads it.</source>
        <translation>此处显示该类型的判读准则，智能体读到的与此相同。</translation>
    </message>
</context>
<context>
    <name>TemplateChoice</name>
    <message>
        <source>Factor on the template&apos;s flux</source>
        <translation>模板流量的倍数</translation>
    </message>
    <message>
        <source>1 is the automatic scale, by least squares</source>
        <translation>1 为自动缩放（最小二乘）</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Scale ×</source>
        <translation>缩放 ×</translation>
    </message>
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
        <source>Your files</source>
        <translation>您的文件</translation>
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
        <source>Simulated by this program, without noise.</source>
        <translation>由本程序模拟，无噪声。</translation>
    </message>
    <message>
        <source>Your own file, assumed to be at rest unless it gives a redshift.</source>
        <translation>您自己的文件；若未给出红移，则视为静止。</translation>
    </message>
    <message>
        <source>Drawn as it is ordered: its slopes are fitted, its lines and bands are not.</source>
        <translation>按排序时的样子绘制：拟合其斜率，谱线和谱带不变。</translation>
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
    <name>TemplateRanking</name>
    <message>
        <source>Order by how well they fit</source>
        <translation>按拟合优度排序</translation>
    </message>
    <message>
        <source>There is no spectrum to fit</source>
        <translation>没有可拟合的光谱</translation>
    </message>
    <message>
        <source>Fitting all templates…</source>
        <translation>正在拟合所有模板…</translation>
    </message>
    <message>
        <source>χ² per pixel and velocity; smaller is better</source>
        <translation>每像素 χ² 与速度；χ² 越小越好</translation>
    </message>
    <message>
        <source>No template covers enough of this spectrum</source>
        <translation>没有模板覆盖此光谱的足够部分</translation>
    </message>
    <message>
        <source>Best template: {name}</source>
        <translation>最佳模板：{name}</translation>
    </message>
    <message>
        <source>Show this template at its velocity</source>
        <translation>以其速度显示此模板</translation>
    </message>
</context>
<context>
    <name>TemplateVelocity</name>
    <message>
        <source>There is no spectrum to fit</source>
        <translation>没有可拟合的光谱</translation>
    </message>
    <message>
        <source>Show a template first: the velocity is fitted to it</source>
        <translation>请先显示一个模板：速度是对它拟合的</translation>
    </message>
    <message>
        <source>Fitted to {template}: {speed} ± {error} km/s, height {height}</source>
        <translation>对 {template} 拟合：{speed} ± {error} km/s，峰高 {height}</translation>
    </message>
    <message>
        <source>Not measured: {reason}</source>
        <translation>未测量：{reason}</translation>
    </message>
    <message>
        <source>{count} lines: {speed} ± {error} km/s</source>
        <translation>{count} 条谱线：{speed} ± {error} km/s</translation>
    </message>
    <message>
        <source>Not fitted: too few good pixels</source>
        <translation>未拟合：可用像素太少</translation>
    </message>
    <message>
        <source>Not fitted: the template does not cover this spectrum</source>
        <translation>未拟合：模板不覆盖此光谱</translation>
    </message>
    <message>
        <source>Not fitted: no velocity within 1500 km/s fits better than others</source>
        <translation>未拟合：1500 km/s 以内没有明显更好的速度</translation>
    </message>
    <message>
        <source>Not fitted: the spectrum does not look like this template</source>
        <translation>未拟合：此光谱与该模板不像</translation>
    </message>
    <message>
        <source>Not fitted: no velocity stands out of the noise (best {speed} km/s)</source>
        <translation>未拟合：没有速度高出噪声（最佳 {speed} km/s）</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>Agent steps</source>
        <translation>智能体的步骤</translation>
    </message>
</context>
<context>
    <name>ToolRow</name>
    <message>
        <source>Smoothing</source>
        <translation>平滑</translation>
    </message>
    <message>
        <source>Velocity and redshift</source>
        <translation>视向速度与红移</translation>
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
        <source>Axes of the plot</source>
        <translation>图的坐标轴</translation>
    </message>
    <message>
        <source>Wavelength range</source>
        <translation>波长范围</translation>
    </message>
    <message>
        <source>Smooth</source>
        <translation>平滑</translation>
    </message>
    <message>
        <source>Smooth {width} px</source>
        <translation>平滑 {width} 像素</translation>
    </message>
    <message>
        <source>RV 0</source>
        <translation>RV 0</translation>
    </message>
    <message>
        <source>RV {speed}</source>
        <translation>RV {speed}</translation>
    </message>
    <message>
        <source>Template {name}</source>
        <translation>模板 {name}</translation>
    </message>
    <message>
        <source>Lines {count}</source>
        <translation>谱线 {count}</translation>
    </message>
    <message>
        <source>Axes</source>
        <translation>坐标轴</translation>
    </message>
    <message>
        <source>More about the plot</source>
        <translation>关于图的更多控件</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Verdicts are saved under this name</source>
        <translation>判定以此姓名保存</translation>
    </message>
    <message>
        <source>read-only</source>
        <translation>只读</translation>
    </message>
    <message>
        <source>Calibration</source>
        <translation>校准</translation>
    </message>
    <message>
        <source>Agent: {what}</source>
        <translation>智能体：{what}</translation>
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
        <source>The agent&apos;s opinion is hidden until you judge</source>
        <translation>在您判定之前不显示智能体的意见</translation>
    </message>
    <message>
        <source>The agent&apos;s opinion is shown. Click to hide it until you judge</source>
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
    <name>TrajectoryView</name>
    <message>
        <source>Pictures not shown: {why}</source>
        <translation>图像未显示：{why}</translation>
    </message>
    <message>
        <source>Inspection</source>
        <translation>检视</translation>
    </message>
    <message>
        <source>The inspection ended without an answer</source>
        <translation>这次检视没有给出答案就结束了</translation>
    </message>
    <message>
        <source>The whole spectrum</source>
        <translation>整条光谱</translation>
    </message>
</context>
<context>
    <name>TurnCard</name>
    <message>
        <source>Thought</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Reasons</source>
        <translation>理由</translation>
    </message>
    <message>
        <source>Former text</source>
        <translation>原文</translation>
    </message>
    <message>
        <source>Delete look</source>
        <translation>删除这次查看</translation>
    </message>
    <message>
        <source>Remove the marked sentences</source>
        <translation>删去标出的句子</translation>
    </message>
    <message>
        <source>Move the look up, with what is said of it</source>
        <translation>把这次查看连同相关文字上移</translation>
    </message>
    <message>
        <source>Move the look down, with what is said of it</source>
        <translation>把这次查看连同相关文字下移</translation>
    </message>
    <message>
        <source>With its announcement and its description</source>
        <translation>连同它的预告和描述</translation>
    </message>
    <message>
        <source>Turn {n}</source>
        <translation>第 {n} 轮</translation>
    </message>
    <message>
        <source>answer {verdict}</source>
        <translation>答案 {verdict}</translation>
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
        <source>Measure from lines</source>
        <translation>用谱线测量</translation>
    </message>
    <message>
        <source>Quality of the velocity</source>
        <translation>速度的质量</translation>
    </message>
    <message>
        <source>From 1, a guess, to 4, certain</source>
        <translation>从 1（猜测）到 4（确定）</translation>
    </message>
    <message>
        <source>Keep over candidates</source>
        <translation>换候选体时保留</translation>
    </message>
    <message>
        <source>Show the next object at this velocity too, unless it has one</source>
        <translation>下一个天体若没有自己的速度，也按此速度显示</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>{speed} km/s</source>
        <translation>{speed} km/s</translation>
    </message>
    <message>
        <source>Of the object before: shown, and not kept with this one</source>
        <translation>上一个天体的速度：仅用于显示，不随此天体保存</translation>
    </message>
    <message>
        <source>Use z of the header, {z}</source>
        <translation>使用文件头的 z：{z}</translation>
    </message>
    <message>
        <source>Use z of the list, {z}</source>
        <translation>使用列表的 z：{z}</translation>
    </message>
    <message>
        <source>Nothing is shifted by it until you click here</source>
        <translation>点击之前不作任何移动</translation>
    </message>
    <message>
        <source>Coarse steps: {down}, {up}. Fine steps: {fine_down}, {fine_up}.</source>
        <translation>粗调：{down}、{up}。微调：{fine_down}、{fine_up}。</translation>
    </message>
    <message>
        <source>Fit to the template</source>
        <translation>对模板拟合</translation>
    </message>
    <message>
        <source>Cross-correlate with the template that is shown</source>
        <translation>与所示模板作互相关</translation>
    </message>
</context>
<context>
    <name>VerdictBar</name>
    <message>
        <source>Choose a class to judge</source>
        <translation>选择要判定的类型</translation>
    </message>
    <message>
        <source>{key}: the same and stay here</source>
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
    <message>
        <source>No class to judge</source>
        <translation>没有要判定的类型</translation>
    </message>
</context>
<context>
    <name>VerdictCommands</name>
    <message>
        <source>There is no class to judge: choose one first</source>
        <translation>没有要判定的类型：请先选择</translation>
    </message>
    <message>
        <source>Blind mode: judge it yourself or reveal the agent&apos;s verdict first</source>
        <translation>盲评模式：请自行判定，或先显示智能体的判定</translation>
    </message>
    <message>
        <source>The agent has no proposal</source>
        <translation>智能体没有建议</translation>
    </message>
    <message>
        <source>Blind mode is on: the agent&apos;s opinion stays hidden until you judge</source>
        <translation>盲评模式已开启：在您判定之前，不显示智能体的意见</translation>
    </message>
    <message>
        <source>Blind mode is off</source>
        <translation>盲评模式已关闭</translation>
    </message>
</context>
<context>
    <name>VerdictLine</name>
    <message>
        <source>What decides</source>
        <translation>决定性的依据</translation>
    </message>
    <message>
        <source>Records of this candidate</source>
        <translation>此候选体的记录</translation>
    </message>
    <message>
        <source>Two records side by side</source>
        <translation>并排比较两个记录</translation>
    </message>
    <message>
        <source>▾ Fold the steps</source>
        <translation>▾ 收起步骤</translation>
    </message>
    <message>
        <source>▸ {n} steps</source>
        <translation>▸ {n} 个步骤</translation>
    </message>
    <message>
        <source>{n} records</source>
        <translation>{n} 条记录</translation>
    </message>
    <message>
        <source>Record of {name}</source>
        <translation>{name} 的记录</translation>
    </message>
    <message>
        <source>Back to the steps</source>
        <translation>返回步骤</translation>
    </message>
</context>
<context>
    <name>WeighedCard</name>
    <message>
        <source>Weighed for this class</source>
        <translation>对此类别的权衡</translation>
    </message>
    <message>
        <source>p(YES) of the spectrum</source>
        <translation>光谱的 p(YES)</translation>
    </message>
    <message>
        <source>with catalogues, not calibrated</source>
        <translation>合并星表后，未经校准</translation>
    </message>
    <message>
        <source>Weights are natural log-odds, a judgement made beforehand: nobody has fitted them to known stars. What was not asked, failed or is not there counts nothing.</source>
        <translation>权重为自然对数的对数几率，是事先的判断，没有用已知恒星拟合过。未查询、失败或没有的都不计入。</translation>
    </message>
    <message>
        <source>hidden</source>
        <translation>已隐藏</translation>
    </message>
    <message>
        <source>nothing to weigh</source>
        <translation>无可权衡</translation>
    </message>
    <message>
        <source>{label}: hidden until your verdict</source>
        <translation>{label}：在您判定之前隐藏</translation>
    </message>
</context>
<context>
    <name>WelcomePage</name>
    <message>
        <source>Vet rare-star candidates by their spectra, with an agent that inspects them too.</source>
        <translation>依据光谱审核稀有恒星候选体，智能体与您一同检视。</translation>
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
        <source>60 simulated cataclysmic-variable candidates</source>
        <translation>60 个模拟的激变变星候选体</translation>
    </message>
    <message>
        <source>Open a list</source>
        <translation>打开列表</translation>
    </message>
    <message>
        <source>Try real spectra</source>
        <translation>试用真实光谱</translation>
    </message>
    <message>
        <source>40 public ones of SDSS, DESI and Hubble</source>
        <translation>SDSS、DESI 和哈勃望远镜的 40 条公开光谱</translation>
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
        <source>Find in a folder</source>
        <translation>在文件夹中寻找</translation>
    </message>
    <message>
        <source>Members of a class in a whole survey</source>
        <translation>在整个巡天中寻找某类的成员</translation>
    </message>
    <message>
        <source>Open a session</source>
        <translation>打开会话</translation>
    </message>
    <message>
        <source>Continue where you left off, or view a colleague&apos;s session</source>
        <translation>从上次停下处继续，或查看同事的会话</translation>
    </message>
    <message>
        <source>Or drop lists, folders, spectra or a session anywhere on this page.</source>
        <translation>也可将列表、文件夹、光谱或会话拖放到本页任意位置。</translation>
    </message>
    <message>
        <source>Works offline.</source>
        <translation>可离线使用。</translation>
    </message>
    <message>
        <source>60 simulated candidates and a five-step tour</source>
        <translation>60 个模拟候选体，附五步导览</translation>
    </message>
</context>
<context>
    <name>WindowCell</name>
    <message>
        <source>not covered</source>
        <translation>未覆盖</translation>
    </message>
</context>
<context>
    <name>WindowSamp</name>
    <message>
        <source>SAMP is off</source>
        <translation>SAMP 已关闭</translation>
    </message>
    <message>
        <source>SAMP is on; no other program is connected yet</source>
        <translation>SAMP 已开启；尚无其他程序连接</translation>
    </message>
    <message>
        <source>SAMP is on; connected: {programs}</source>
        <translation>SAMP 已开启；已连接：{programs}</translation>
    </message>
    <message>
        <source>Not connected: first choose {action} in the menu File</source>
        <translation>尚未连接：请先在“文件”菜单中选择“{action}”</translation>
    </message>
    <message>
        <source>Connect to TOPCAT and others (SAMP)</source>
        <translation>连接 TOPCAT 等程序（SAMP）</translation>
    </message>
    <message>
        <source>Select several candidates in the overview first</source>
        <translation>请先在总览中选择多个候选体</translation>
    </message>
    <message>
        <source>Not followed, from {program}: {what}</source>
        <translation>未执行 {program} 的请求：{what}</translation>
    </message>
    <message>
        <source>Fetching {name}…</source>
        <translation>正在获取 {name}…</translation>
    </message>
</context>
<context>
    <name>WindowsRow</name>
    <message>
        <source>This spectrum does not cover “{window}”</source>
        <translation>此光谱未覆盖“{window}”</translation>
    </message>
    <message>
        <source>This spectrum covers none of the diagnostic windows</source>
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
        <source>Look-alikes</source>
        <translation>易混淆者</translation>
    </message>
    <message>
        <source>Not covered by this spectrum.</source>
        <translation>此光谱未覆盖该窗口。</translation>
    </message>
</context>
<context>
    <name>WorkCard</name>
    <message>
        <source>Each person&apos;s work</source>
        <translation>每个人的工作</translation>
    </message>
    <message>
        <source>Nobody has judged anything yet.</source>
        <translation>还没有人作出判定。</translation>
    </message>
    <message>
        <source>Bars: verdicts in each hour. Points: seconds for one, the median.</source>
        <translation>柱：每小时的判定数。点：每个判定所用秒数的中位数。</translation>
    </message>
    <message>
        <source>assigned</source>
        <translation>已分配</translation>
    </message>
    <message>
        <source>left</source>
        <translation>剩余</translation>
    </message>
    <message>
        <source>time left</source>
        <translation>剩余时间</translation>
    </message>
    <message>
        <source>second opinions left</source>
        <translation>剩余第二意见</translation>
    </message>
    <message>
        <source>accept rate</source>
        <translation>接受率</translation>
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
        <source>confidence {n}: {seconds} s (n = {count})</source>
        <translation>置信度 {n}：{seconds} 秒（n = {count}）</translation>
    </message>
    <message>
        <source>{name}, median time for one verdict: {parts}</source>
        <translation>{name}，每个判定所用时间的中位数：{parts}</translation>
    </message>
</context>
<context>
    <name>_NameEdit</name>
    <message>
        <source>Name of the column</source>
        <translation>列的名称</translation>
    </message>
</context>
<context>
    <name>about</name>
    <message>
        <source>The model card does not say what it was trained on.</source>
        <translation>模型卡未说明训练数据。</translation>
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
        <source>Navigation</source>
        <translation>导航</translation>
    </message>
    <message>
        <source>View</source>
        <translation>查看</translation>
    </message>
    <message>
        <source>Spectrum display</source>
        <translation>光谱显示</translation>
    </message>
    <message>
        <source>Comments and flags</source>
        <translation>评语与标记</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>Files and pages</source>
        <translation>文件与页面</translation>
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
        <source>Accept and stay</source>
        <translation>接受并停留</translation>
    </message>
    <message>
        <source>Reject and stay</source>
        <translation>排除并停留</translation>
    </message>
    <message>
        <source>Unsure and stay</source>
        <translation>存疑并停留</translation>
    </message>
    <message>
        <source>Accept with confidence 4</source>
        <translation>接受（置信度 4）</translation>
    </message>
    <message>
        <source>Accept with confidence 3</source>
        <translation>接受（置信度 3）</translation>
    </message>
    <message>
        <source>Unsure with confidence 2</source>
        <translation>存疑（置信度 2）</translation>
    </message>
    <message>
        <source>Unsure with confidence 1</source>
        <translation>存疑（置信度 1）</translation>
    </message>
    <message>
        <source>Confidence 4 (sure)</source>
        <translation>置信度 4（确定）</translation>
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
        <source>Confidence 1 (poor)</source>
        <translation>置信度 1（较差）</translation>
    </message>
    <message>
        <source>Confidence 0 (none)</source>
        <translation>置信度 0（无）</translation>
    </message>
    <message>
        <source>Use the agent&apos;s proposal</source>
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
        <source>Sub-class of this object</source>
        <translation>该天体的子类</translation>
    </message>
    <message>
        <source>Sub-class of the object accepted last</source>
        <translation>上一个接受的天体的子类</translation>
    </message>
    <message>
        <source>Reject the rest of the sheet</source>
        <translation>排除本页其余候选体</translation>
    </message>
    <message>
        <source>Reject all below this p(YES)</source>
        <translation>排除低于此 p(YES) 的全部</translation>
    </message>
    <message>
        <source>Next candidate</source>
        <translation>下一个候选体</translation>
    </message>
    <message>
        <source>Previous candidate</source>
        <translation>上一个候选体</translation>
    </message>
    <message>
        <source>Start a blind repeat round</source>
        <translation>开始一轮盲评复核</translation>
    </message>
    <message>
        <source>More like this</source>
        <translation>更多类似的</translation>
    </message>
    <message>
        <source>Show the queue</source>
        <translation>显示队列</translation>
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
        <source>Go to diagnostic window</source>
        <translation>转到诊断窗口</translation>
    </message>
    <message>
        <source>Show the whole spectrum</source>
        <translation>显示全谱</translation>
    </message>
    <message>
        <source>Reset view and overlays</source>
        <translation>重置视图与叠加显示</translation>
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
        <source>Pan blueward</source>
        <translation>向蓝端平移</translation>
    </message>
    <message>
        <source>Pan redward</source>
        <translation>向红端平移</translation>
    </message>
    <message>
        <source>Show the whole range while held</source>
        <translation>按住时显示全谱</translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>谱线</translation>
    </message>
    <message>
        <source>Line names</source>
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
        <source>Masked pixels, sky and telluric</source>
        <translation>掩蔽像素、天光与大气吸收</translation>
    </message>
    <message>
        <source>Template</source>
        <translation>模板</translation>
    </message>
    <message>
        <source>Measure a line by hand</source>
        <translation>手工测量谱线</translation>
    </message>
    <message>
        <source>Remove the last measurement</source>
        <translation>删除最近一次测量</translation>
    </message>
    <message>
        <source>Fit the last measurement with a Gaussian</source>
        <translation>用高斯轮廓拟合最近一次测量</translation>
    </message>
    <message>
        <source>Fit the last measurement with a Voigt profile</source>
        <translation>用 Voigt 轮廓拟合最近一次测量</translation>
    </message>
    <message>
        <source>Order the templates by how well they fit</source>
        <translation>按拟合优度排列模板</translation>
    </message>
    <message>
        <source>Fit the velocity to the template</source>
        <translation>对模板拟合速度</translation>
    </message>
    <message>
        <source>Overlay the epochs of this source</source>
        <translation>叠加该源的各次观测</translation>
    </message>
    <message>
        <source>Rest wavelengths</source>
        <translation>静止系波长</translation>
    </message>
    <message>
        <source>Air wavelengths</source>
        <translation>空气波长</translation>
    </message>
    <message>
        <source>Wavelengths in nm</source>
        <translation>波长以 nm 为单位</translation>
    </message>
    <message>
        <source>Velocity about a line</source>
        <translation>相对谱线的速度</translation>
    </message>
    <message>
        <source>Include zero in the flux axis</source>
        <translation>流量轴包含零点</translation>
    </message>
    <message>
        <source>Logarithmic flux axis</source>
        <translation>对数流量轴</translation>
    </message>
    <message>
        <source>Normalised flux</source>
        <translation>归一化流量</translation>
    </message>
    <message>
        <source>Flux per frequency, f_ν</source>
        <translation>单位频率流量 f_ν</translation>
    </message>
    <message>
        <source>Increase velocity</source>
        <translation>增大视向速度</translation>
    </message>
    <message>
        <source>Decrease velocity</source>
        <translation>减小视向速度</translation>
    </message>
    <message>
        <source>Increase velocity (fine)</source>
        <translation>增大视向速度（微调）</translation>
    </message>
    <message>
        <source>Decrease velocity (fine)</source>
        <translation>减小视向速度（微调）</translation>
    </message>
    <message>
        <source>Comment</source>
        <translation>评语</translation>
    </message>
    <message>
        <source>Comment the previous object</source>
        <translation>评语上一个天体</translation>
    </message>
    <message>
        <source>Flags of the previous object</source>
        <translation>上一个天体的标记</translation>
    </message>
    <message>
        <source>Open the flag menu</source>
        <translation>打开标记菜单</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>星标</translation>
    </message>
    <message>
        <source>Run the agent on this candidate</source>
        <translation>对此候选体运行智能体</translation>
    </message>
    <message>
        <source>Pause or resume the agent</source>
        <translation>暂停或继续智能体</translation>
    </message>
    <message>
        <source>Step through the agent&apos;s evidence</source>
        <translation>逐步查看智能体的证据</translation>
    </message>
    <message>
        <source>Reveal the agent&apos;s verdict</source>
        <translation>显示智能体的判定</translation>
    </message>
    <message>
        <source>Run the agent on the whole list</source>
        <translation>对整个列表运行智能体</translation>
    </message>
    <message>
        <source>Rate the inspection 0</source>
        <translation>给检视评 0 分</translation>
    </message>
    <message>
        <source>Rate the inspection 1</source>
        <translation>给检视评 1 分</translation>
    </message>
    <message>
        <source>Rate the inspection 2</source>
        <translation>给检视评 2 分</translation>
    </message>
    <message>
        <source>Rate the inspection 3</source>
        <translation>给检视评 3 分</translation>
    </message>
    <message>
        <source>Rate the inspection 4</source>
        <translation>给检视评 4 分</translation>
    </message>
    <message>
        <source>Rate the inspection 5</source>
        <translation>给检视评 5 分</translation>
    </message>
    <message>
        <source>Return to the plot; stop the agent</source>
        <translation>回到光谱图；停止智能体</translation>
    </message>
    <message>
        <source>Guide</source>
        <translation>指南</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
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
        <source>Show or hide panels</source>
        <translation>显示或隐藏面板</translation>
    </message>
    <message>
        <source>Reset the panels</source>
        <translation>重置面板布局</translation>
    </message>
    <message>
        <source>Turn blind mode on or off</source>
        <translation>开启或关闭盲评模式</translation>
    </message>
    <message>
        <source>Only my own objects, or all</source>
        <translation>只看我的天体，或全部</translation>
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
        <source>Show the guideline</source>
        <translation>显示判读准则</translation>
    </message>
    <message>
        <source>Show the evidence</source>
        <translation>显示旁证</translation>
    </message>
    <message>
        <source>Show similar spectra</source>
        <translation>显示相似光谱</translation>
    </message>
    <message>
        <source>Choose services to ask</source>
        <translation>选择要查询的服务</translation>
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
        <source>Open a folder of spectra</source>
        <translation>打开光谱文件夹</translation>
    </message>
    <message>
        <source>Open a session</source>
        <translation>打开会话</translation>
    </message>
    <message>
        <source>Open from an archive</source>
        <translation>从巡天数据库打开</translation>
    </message>
    <message>
        <source>Find in a folder</source>
        <translation>在文件夹中寻找</translation>
    </message>
    <message>
        <source>Open the curation room</source>
        <translation>打开审订室</translation>
    </message>
    <message>
        <source>Fetch the missing file</source>
        <translation>取来缺少的文件</translation>
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
        <source>Define fields of your own</source>
        <translation>定义自己的字段</translation>
    </message>
    <message>
        <source>Judge this list for a class, or for another one</source>
        <translation>按某一（或另一）类型判定此列表</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>总览</translation>
    </message>
    <message>
        <source>What the agent gets wrong</source>
        <translation>智能体的错误</translation>
    </message>
    <message>
        <source>Open the rating room</source>
        <translation>打开评分室</translation>
    </message>
    <message>
        <source>Export the catalogue</source>
        <translation>导出星表</translation>
    </message>
    <message>
        <source>Write a report</source>
        <translation>生成报告</translation>
    </message>
    <message>
        <source>Pack for a colleague</source>
        <translation>打包给同事</translation>
    </message>
    <message>
        <source>Share the list out</source>
        <translation>分配列表</translation>
    </message>
    <message>
        <source>Merge sessions of colleagues</source>
        <translation>合并同事的会话</translation>
    </message>
    <message>
        <source>Hide known answers</source>
        <translation>隐藏已知答案</translation>
    </message>
    <message>
        <source>Reader study</source>
        <translation>判读研究</translation>
    </message>
    <message>
        <source>Save a picture of the plot</source>
        <translation>保存光谱图</translation>
    </message>
    <message>
        <source>Save the spectrum on screen</source>
        <translation>保存屏幕上的光谱</translation>
    </message>
    <message>
        <source>Copy range and measurements</source>
        <translation>复制波长范围与测量值</translation>
    </message>
    <message>
        <source>Connect to TOPCAT and others (SAMP)</source>
        <translation>连接 TOPCAT 等程序（SAMP）</translation>
    </message>
    <message>
        <source>Send the list to other programs</source>
        <translation>将列表发送给其他程序</translation>
    </message>
    <message>
        <source>Highlight this candidate in other programs</source>
        <translation>在其他程序中突出显示此候选体</translation>
    </message>
    <message>
        <source>Select the selected candidates in other programs</source>
        <translation>在其他程序中选中所选候选体</translation>
    </message>
    <message>
        <source>Point other programs at this position</source>
        <translation>让其他程序指向此位置</translation>
    </message>
    <message>
        <source>Send this spectrum to other programs</source>
        <translation>将此光谱发送给其他程序</translation>
    </message>
    <message>
        <source>Look up in SIMBAD</source>
        <translation>在 SIMBAD 中查询</translation>
    </message>
    <message>
        <source>Show the field in Aladin</source>
        <translation>在 Aladin 中查看天区</translation>
    </message>
    <message>
        <source>Open the LAMOST page</source>
        <translation>打开 LAMOST 页面</translation>
    </message>
    <message>
        <source>Open the SDSS page</source>
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
        <source>requests a picture</source>
        <translation>请求图像</translation>
    </message>
    <message>
        <source>Writing</source>
        <translation>正在撰写</translation>
    </message>
    <message>
        <source>Unsupported, window not viewed: {what}</source>
        <translation>缺乏依据，未查看相应窗口：{what}</translation>
    </message>
    <message>
        <source>Look {n}</source>
        <translation>第 {n} 次查看</translation>
    </message>
    <message>
        <source>Look {n} (yours)</source>
        <translation>第 {n} 次查看（您的）</translation>
    </message>
    <message>
        <source>Agent error</source>
        <translation>智能体出错</translation>
    </message>
    <message>
        <source>Could not be shown</source>
        <translation>无法展示</translation>
    </message>
    <message>
        <source>{count} of {total} thoughts: measured otherwise</source>
        <translation>{total} 条思考中有 {count} 条与测量不符</translation>
    </message>
    <message>
        <source>in emission</source>
        <translation>为发射</translation>
    </message>
    <message>
        <source>in absorption</source>
        <translation>为吸收</translation>
    </message>
    <message>
        <source>Measured otherwise: {what}</source>
        <translation>与测量不符：{what}</translation>
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
        <source>Text</source>
        <translation>文字</translation>
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
        <source>λ observed, vacuum</source>
        <translation>λ 观测，真空</translation>
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
        <source>Contaminated by: {what}</source>
        <translation>受干扰：{what}</translation>
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
        <source>always available</source>
        <translation>始终可用</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>not found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>partly downloaded</source>
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
        <source>server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>default here</source>
        <translation>此处默认</translation>
    </message>
    <message>
        <source>asked in our words, not in those it was trained on</source>
        <translation>使用本程序的措辞提问，而非其训练时的措辞</translation>
    </message>
    <message>
        <source>reads pictures and numbers</source>
        <translation>读图像和数值</translation>
    </message>
    <message>
        <source>reads pictures</source>
        <translation>读图像</translation>
    </message>
    <message>
        <source>reads numbers</source>
        <translation>读数值</translation>
    </message>
    <message>
        <source>not yet timed here</source>
        <translation>此处尚未计时</translation>
    </message>
    <message>
        <source>{n} s each here</source>
        <translation>此处每条 {n} 秒</translation>
    </message>
    <message>
        <source>no figure on real spectra</source>
        <translation>没有真实光谱上的指标</translation>
    </message>
    <message>
        <source>F1 {n} % on real spectra</source>
        <translation>真实光谱 F1 {n} %</translation>
    </message>
    <message>
        <source>{name} is not on this machine yet. Run in a terminal: spec-o3 models get {name}
Or put its files into {folder}</source>
        <translation>本机尚无 {name}。请在终端运行：spec-o3 models get {name}
或将其文件放入 {folder}</translation>
    </message>
    <message>
        <source>{name} is partly downloaded. To finish, run in a terminal: spec-o3 models get {name}</source>
        <translation>{name} 未下载完。请在终端运行以继续：spec-o3 models get {name}</translation>
    </message>
    <message>
        <source>Incomplete: {files} is missing from {folder}</source>
        <translation>不完整：{folder} 中缺少 {files}</translation>
    </message>
    <message>
        <source>{n} billion parameters</source>
        <translation>{n}B 参数</translation>
    </message>
    <message>
        <source>{n} million parameters</source>
        <translation>{n} 百万参数</translation>
    </message>
    <message>
        <source>a server that answers at its address</source>
        <translation>在其地址上应答的服务器</translation>
    </message>
    <message>
        <source>{program} and about {size} of memory</source>
        <translation>{program} 和约 {size} 内存</translation>
    </message>
    <message>
        <source>{program}, and a GPU with about {size} of memory</source>
        <translation>{program}，以及显存约 {size} 的 GPU</translation>
    </message>
    <message>
        <source>not yet compared with your own verdicts</source>
        <translation>尚未与你自己的判定比较</translation>
    </message>
    <message>
        <source>agreed with you on {k} of {n} you judged ({share})</source>
        <translation>你判定的 {n} 个中有 {k} 个与你一致（{share}）</translation>
    </message>
    <message>
        <source>answered</source>
        <translation>已作答</translation>
    </message>
    <message>
        <source>no answer within the turn limit</source>
        <translation>在限定轮数内没有结论</translation>
    </message>
    <message>
        <source>reached the length limit</source>
        <translation>达到长度上限</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>no verdict</source>
        <translation>无判定</translation>
    </message>
    <message>
        <source>no p(YES)</source>
        <translation>无 p(YES)</translation>
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
        <source>with catalogues {p} ({odds})</source>
        <translation>合并星表后 {p}（{odds}）</translation>
    </message>
    <message>
        <source>p(YES) of the spectrum, moved by what catalogues say: in brackets their weight, natural log-odds that are a judgement made beforehand. It is not calibrated. The panel Evidence tells each claim.</source>
        <translation>光谱的 p(YES)，再按星表所说移动：括号内是星表的权重，为自然对数的对数几率，是事先的判断。未经校准。旁证面板列出每一条。</translation>
    </message>
    <message>
        <source>Not calibrated: p(YES) ranks candidates but is not a probability. Calibrate it with your own verdicts on the page Agreement and calibration.</source>
        <translation>未校准：p(YES) 可用于候选体排序，但不是概率。可在“一致性与校准”页面用您的判定来校准。</translation>
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
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>loading or waiting</source>
        <translation>正在加载或排队</translation>
    </message>
    <message>
        <source>writing, turn {n}</source>
        <translation>撰写中，第 {n} 轮</translation>
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
        <source>Loading {model}…</source>
        <translation>正在载入 {model}…</translation>
    </message>
    <message>
        <source>The agent is about to begin…</source>
        <translation>智能体即将开始…</translation>
    </message>
    <message>
        <source>Selected: stopping</source>
        <translation>选中的：正在停止</translation>
    </message>
    <message>
        <source>List: stopping</source>
        <translation>列表：正在停止</translation>
    </message>
    <message>
        <source>Selected: loading the model</source>
        <translation>选中的：正在加载模型</translation>
    </message>
    <message>
        <source>List: loading the model</source>
        <translation>列表：正在加载模型</translation>
    </message>
    <message>
        <source>Selected: {n} done</source>
        <translation>选中的：完成 {n} 个</translation>
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
        <source>{n} unreadable</source>
        <translation>{n} 个无法读取</translation>
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
        <source>Pictures not shown: the spectrum has changed since the inspection</source>
        <translation>不显示图片：光谱在检视之后已有变动</translation>
    </message>
    <message>
        <source>Picture not shown: it differs from what the model saw</source>
        <translation>不显示图片：它与模型所见不同</translation>
    </message>
    <message>
        <source>Leave the key out of the address: put it in SPEC_O3_API_KEY or the system keyring</source>
        <translation>请勿将密钥写入地址：请放在 SPEC_O3_API_KEY 或系统密钥环中</translation>
    </message>
    <message>
        <source>It said “like {kind}”, then {verdict}.</source>
        <translation>它说过“像{kind}”，却判 {verdict}。</translation>
    </message>
    <message>
        <source>It said “like {kind}” {n} times, then {verdict}.</source>
        <translation>它说过 {n} 次“像{kind}”，却判 {verdict}。</translation>
    </message>
    <message>
        <source>Needs {what}</source>
        <translation>需要：{what}</translation>
    </message>
</context>
<context>
    <name>axis_words</name>
    <message>
        <source>rest</source>
        <translation>静止系</translation>
    </message>
    <message>
        <source>km/s about {line}</source>
        <translation>相对 {line} 的 km/s</translation>
    </message>
    <message>
        <source>air</source>
        <translation>空气</translation>
    </message>
    <message>
        <source>normalised</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>no {quantity} from this unit</source>
        <translation>此单位无法换算为 {quantity}</translation>
    </message>
    <message>
        <source>log</source>
        <translation>对数</translation>
    </message>
    <message>
        <source>from 0</source>
        <translation>从 0 起</translation>
    </message>
</context>
<context>
    <name>choosing</name>
    <message>
        <source>Open a list of candidates</source>
        <translation>打开候选体列表</translation>
    </message>
    <message>
        <source>Open a list of spectra with labels</source>
        <translation>打开带标签的光谱列表</translation>
    </message>
    <message>
        <source>Choose a folder of spectra</source>
        <translation>选择光谱文件夹</translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Choose a folder for the files</source>
        <translation>选择存放文件的文件夹</translation>
    </message>
    <message>
        <source>Open a session</source>
        <translation>打开会话</translation>
    </message>
    <message>
        <source>Merge sessions of colleagues</source>
        <translation>合并同事的会话</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>另存为</translation>
    </message>
    <message>
        <source>Task files</source>
        <translation>任务文件</translation>
    </message>
    <message>
        <source>Open a task file</source>
        <translation>打开任务文件</translation>
    </message>
</context>
<context>
    <name>columns</name>
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
        <source>combined</source>
        <translation>合并</translation>
    </message>
    <message>
        <source>members</source>
        <translation>成员</translation>
    </message>
    <message>
        <source>flags</source>
        <translation>标记</translation>
    </message>
    <message>
        <source>spectrum</source>
        <translation>光谱</translation>
    </message>
</context>
<context>
    <name>crash</name>
    <message>
        <source>The reports are in {folder}</source>
        <translation>报告位于 {folder}</translation>
    </message>
    <message>
        <source>The program crashed last time. A report is in the crash reports folder (menu Help)</source>
        <translation>程序上次意外终止。报告在崩溃报告文件夹中（见“帮助”菜单）</translation>
    </message>
</context>
<context>
    <name>curation</name>
    <message>
        <source>This turn is new.</source>
        <translation>这一轮是新增的。</translation>
    </message>
    <message>
        <source>As it was.</source>
        <translation>没有改动。</translation>
    </message>
    <message>
        <source>to screen</source>
        <translation>待筛选</translation>
    </message>
    <message>
        <source>to revise</source>
        <translation>待修订</translation>
    </message>
    <message>
        <source>changes wanted</source>
        <translation>要求修改</translation>
    </message>
    <message>
        <source>to audit</source>
        <translation>待审核</translation>
    </message>
    <message>
        <source>to vote on</source>
        <translation>待表决</translation>
    </message>
    <message>
        <source>approved</source>
        <translation>已通过</translation>
    </message>
    <message>
        <source>discarded</source>
        <translation>已舍弃</translation>
    </message>
    <message>
        <source>{name} is revising</source>
        <translation>{name} 正在修订</translation>
    </message>
    <message>
        <source>kept it</source>
        <translation>予以保留</translation>
    </message>
    <message>
        <source>discarded it</source>
        <translation>予以舍弃</translation>
    </message>
    <message>
        <source>saved a revision</source>
        <translation>保存了修订</translation>
    </message>
    <message>
        <source>left the words as they are</source>
        <translation>未改动文字</translation>
    </message>
    <message>
        <source>approved it</source>
        <translation>同意</translation>
    </message>
    <message>
        <source>wants changes</source>
        <translation>要求修改</translation>
    </message>
    <message>
        <source>rejected it</source>
        <translation>予以否决</translation>
    </message>
    <message>
        <source>waits no longer for {name}</source>
        <translation>不再等待 {name}</translation>
    </message>
    <message>
        <source>took it over from {name}</source>
        <translation>从 {name} 接手</translation>
    </message>
    <message>
        <source>voted for it</source>
        <translation>投了赞成票</translation>
    </message>
    <message>
        <source>voted against it</source>
        <translation>投了反对票</translation>
    </message>
    <message>
        <source>coherence {a}, physical consistency {b}</source>
        <translation>连贯性 {a}，物理一致性 {b}</translation>
    </message>
    <message>
        <source>Changes are wanted:</source>
        <translation>要求修改：</translation>
    </message>
    <message>
        <source>Is it worth revising?</source>
        <translation>这份草稿值得修订吗？</translation>
    </message>
    <message>
        <source>Revise it until every claim is supported, then save.</source>
        <translation>修订到每个论断都有依据，然后保存。</translation>
    </message>
    <message>
        <source>Is every step right? The other auditor does not see your answer.</source>
        <translation>每一步都对吗？另一位审核人看不到你的意见。</translation>
    </message>
    <message>
        <source>All three approve it. Does it belong in the training set?</source>
        <translation>三人都已同意。它应当进入训练集吗？</translation>
    </message>
    <message>
        <source>In the place of {names}, who has not answered.</source>
        <translation>代替尚未答复的 {names}。</translation>
    </message>
    <message>
        <source>Approved: it goes into the training set.</source>
        <translation>已通过：它将进入训练集。</translation>
    </message>
    <message>
        <source>Discarded. It stays in the pool with its reasons.</source>
        <translation>已舍弃。它连同理由留在库中。</translation>
    </message>
    <message>
        <source>It is back with its author {name}. If they do not answer, take it over.</source>
        <translation>已退回修订人 {name}。若无答复，可以接手。</translation>
    </message>
    <message>
        <source>You revised it; two others audit it.</source>
        <translation>由你修订；另两人负责审核。</translation>
    </message>
    <message>
        <source>You have audited it; the other audit is not in yet.</source>
        <translation>你已审核；另一份审核尚未提交。</translation>
    </message>
    <message>
        <source>It is audited by {names}.</source>
        <translation>由 {names} 审核。</translation>
    </message>
    <message>
        <source>You have voted; the others have not yet.</source>
        <translation>你已投票；其他人尚未投票。</translation>
    </message>
    <message>
        <source>{names} vote on it.</source>
        <translation>由 {names} 表决。</translation>
    </message>
    <message>
        <source>If {names} cannot vote, wait no longer: another then audits it and votes.</source>
        <translation>若 {names} 无法表决，可不再等待：由别人代为审核并表决。</translation>
    </message>
    <message>
        <source>The vote is decided; it waits {n} days for {names}, then no longer.</source>
        <translation>表决已有结果；再等 {names} {n} 天，过后不再等待。</translation>
    </message>
    <message>
        <source>It waits for {names}; after {n} days another may audit it instead.</source>
        <translation>正等待 {names}；{n} 天后可由他人代为审核。</translation>
    </message>
    <message>
        <source>{name} is revising it.</source>
        <translation>{name} 正在修订。</translation>
    </message>
    <message>
        <source>{n} approved drafts are in {path}. Train on them with:</source>
        <translation>{n} 份已通过的草稿已写入 {path}。训练命令：</translation>
    </message>
    <message>
        <source>Left out: {reason}</source>
        <translation>未导出：{reason}</translation>
    </message>
    <message>
        <source>{n} more are left out</source>
        <translation>另有 {n} 份未导出</translation>
    </message>
</context>
<context>
    <name>docks</name>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>Windows</source>
        <translation>诊断窗口</translation>
    </message>
    <message>
        <source>Similar spectra</source>
        <translation>相似光谱</translation>
    </message>
    <message>
        <source>Guideline</source>
        <translation>判读准则</translation>
    </message>
    <message>
        <source>Object</source>
        <translation>天体</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>旁证</translation>
    </message>
</context>
<context>
    <name>dropped</name>
    <message>
        <source>Only files and folders on this computer can be opened</source>
        <translation>只能打开本机的文件和文件夹</translation>
    </message>
    <message>
        <source>These are more than {count} files: open their folder instead</source>
        <translation>文件超过 {count} 个：请改为打开其文件夹</translation>
    </message>
    <message>
        <source>Open one session at a time, without other files</source>
        <translation>一次只能打开一个会话，且不能同时打开其他文件</translation>
    </message>
    <message>
        <source>{name} does not exist</source>
        <translation>{name} 不存在</translation>
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
        <source>Agent records</source>
        <translation>智能体记录</translation>
    </message>
    <message>
        <source>For a colleague</source>
        <translation>给同事</translation>
    </message>
    <message>
        <source>A single HTML page: the verdicts, how well people and agents agree, how well calibrated the agent&apos;s probabilities are, and pictures of the evidence. It needs no other files and contains no scripts. Print it from the browser to get a PDF.</source>
        <translation>单个 HTML 页面：判定结果、人与智能体的一致程度、智能体概率的校准情况以及证据图像。不依赖其他文件，也不含脚本。可用浏览器打印为 PDF。</translation>
    </message>
    <message>
        <source>Every agent inspection, step by step, as JSON lines: one line per inspection, with what the agent looked at, what it said and what was measured there. Models are trained and compared on these records.</source>
        <translation>各智能体的每次检视，逐步记录为 JSON 行格式：每次检视一行，包括智能体查看了什么、说了什么、测得了什么。可用于训练和比较模型。</translation>
    </message>
    <message>
        <source>A copy of this session in one file, with all verdicts and spectra. A colleague can open it without access to your disks, judge, and send it back to be merged.</source>
        <translation>此会话的副本，所有判定与光谱均在一个文件中。同事无需访问您的磁盘即可打开、判定，再发回合并。</translation>
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
        <source>Written: {count} row, {name}</source>
        <translation>已写入 {count} 行：{name}</translation>
    </message>
    <message>
        <source>Written: {count} record, {name}</source>
        <translation>已写入 {count} 条记录：{name}</translation>
    </message>
    <message>
        <source>Written: {count} spectrum in {name}</source>
        <translation>已写入 {count} 条光谱：{name}</translation>
    </message>
    <message>
        <source>left out: {count}, starting with {notes}</source>
        <translation>略去 {count} 项，前几项为 {notes}</translation>
    </message>
    <message>
        <source>Inspections of {names}</source>
        <translation>{names} 的检视</translation>
    </message>
    <message>
        <source>No inspections yet: nothing to write</source>
        <translation>尚无检视：没有可写入的内容</translation>
    </message>
</context>
<context>
    <name>fetching</name>
    <message>
        <source>SSAP service</source>
        <translation>SSAP 服务</translation>
    </message>
    <message>
        <source>Identifiers or positions are sent to astrosparcl.datalab.noirlab.edu (NOIRLab).</source>
        <translation>向 astrosparcl.datalab.noirlab.edu（NOIRLab）发送编号或位置。</translation>
    </message>
    <message>
        <source>Plate or field, MJD, and fibre or catalogue number are sent to data.sdss.org, positions to skyserver.sdss.org.</source>
        <translation>向 data.sdss.org 发送光纤板号或天区号、MJD 以及光纤号或星表编号，位置则发往 skyserver.sdss.org。</translation>
    </message>
    <message>
        <source>Obsids or positions, and your token if you have one, are sent to www.lamost.org.</source>
        <translation>向 www.lamost.org 发送 obsid 或位置；您若有令牌，也一并发送。</translation>
    </message>
    <message>
        <source>One a line: plate-mjd-fiber or field-mjd-catalogid, as 0266-51602-0031, or a position</source>
        <translation>每行一个：plate-mjd-fiber 或 field-mjd-catalogid，如 0266-51602-0031，或一个位置</translation>
    </message>
    <message>
        <source>One a line: an obsid, as 677503031, or a position (RA Dec)</source>
        <translation>每行一个：obsid，如 677503031，或一个位置（RA Dec）</translation>
    </message>
    <message>
        <source>Positions are sent to the service of this address.</source>
        <translation>向此地址的服务发送位置。</translation>
    </message>
    <message>
        <source>One a line: a sparcl_id, a specid or TARGETID, or a position (RA Dec)</source>
        <translation>每行一个：sparcl_id、specid 或 TARGETID，或位置（赤经 赤纬）</translation>
    </message>
    <message>
        <source>One a line: a position, as 24.3769 25.4271 or 01:37:30.4 +25:25:38</source>
        <translation>每行一个位置，如 24.3769 25.4271 或 01:37:30.4 +25:25:38</translation>
    </message>
    <message>
        <source>{n} spectrum fetched</source>
        <translation>已取得 {n} 条光谱</translation>
    </message>
    <message>
        <source>{n} spectra fetched</source>
        <translation>已取得 {n} 条光谱</translation>
    </message>
    <message>
        <source>Not fetched: {n}</source>
        <translation>未取得：{n} 条</translation>
    </message>
</context>
<context>
    <name>finding</name>
    <message>
        <source>oddness</source>
        <translation>奇特度</translation>
    </message>
</context>
<context>
    <name>fit_texts</name>
    <message>
        <source>Gaussian fit of {line}: {numbers}</source>
        <translation>{line} 的高斯拟合：{numbers}</translation>
    </message>
    <message>
        <source>Voigt fit of {line}: {numbers}</source>
        <translation>{line} 的 Voigt 拟合：{numbers}</translation>
    </message>
    <message>
        <source>the shape does not fit; more than one line?</source>
        <translation>轮廓不符，可能不止一条谱线</translation>
    </message>
    <message>
        <source>Not fitted: too few good pixels between the points</source>
        <translation>未拟合：两点之间的可用像素太少</translation>
    </message>
    <message>
        <source>Not fitted: the continuum is not positive</source>
        <translation>未拟合：连续谱不为正</translation>
    </message>
    <message>
        <source>Not fitted: no line stands out of the noise by 5 σ</source>
        <translation>未拟合：没有超出噪声 5 σ 的谱线</translation>
    </message>
    <message>
        <source>Not fitted: the line is as wide as the range; measure a wider one</source>
        <translation>未拟合：谱线与所选范围一样宽，请测量更宽的范围</translation>
    </message>
    <message>
        <source>Not fitted: it is narrower than a pixel, as a spike is</source>
        <translation>未拟合：比一个像素还窄，像是尖峰</translation>
    </message>
    <message>
        <source>Not fitted: the centre runs into one of the two points</source>
        <translation>未拟合：中心移到了两点之一</translation>
    </message>
    <message>
        <source>Not fitted: no Lorentzian wings show; fit a Gaussian</source>
        <translation>未拟合：看不出洛伦兹线翼，请用高斯轮廓</translation>
    </message>
    <message>
        <source>Not fitted: no best profile was found</source>
        <translation>未拟合：没有找到最佳轮廓</translation>
    </message>
</context>
<context>
    <name>flags</name>
    <message>
        <source>Redshift or velocity uncertain</source>
        <translation>红移或视向速度不确定</translation>
    </message>
    <message>
        <source>Too noisy to tell</source>
        <translation>噪声过大，无法判断</translation>
    </message>
    <message>
        <source>Poor sky subtraction</source>
        <translation>天光扣除不佳</translation>
    </message>
    <message>
        <source>Bad calibration, or a step between the arms</source>
        <translation>定标不良，或红蓝臂之间有台阶</translation>
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
        <source>Look-alikes</source>
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
        <source>Vacuum wavelengths in Å, in the star&apos;s rest frame</source>
        <translation>真空波长，单位 Å，恒星静止系</translation>
    </message>
</context>
<context>
    <name>information</name>
    <message>
        <source>sub-class</source>
        <translation>子类</translation>
    </message>
    <message>
        <source>velocity</source>
        <translation>速度</translation>
    </message>
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
    <name>mark_menu</name>
    <message>
        <source>Velocity about {line}</source>
        <translation>相对 {line} 的速度</translation>
    </message>
    <message>
        <source>Wavelengths instead of velocity about {line}</source>
        <translation>显示波长，而非相对 {line} 的速度</translation>
    </message>
    <message>
        <source>Measure {line} here</source>
        <translation>在此测量 {line}</translation>
    </message>
    <message>
        <source>Copy its rest wavelength, {at}</source>
        <translation>复制其静止波长 {at}</translation>
    </message>
    <message>
        <source>Copy its observed wavelength, {at}</source>
        <translation>复制其观测波长 {at}</translation>
    </message>
    <message>
        <source>Hide these lines: {set}</source>
        <translation>隐藏这些谱线：{set}</translation>
    </message>
</context>
<context>
    <name>menus</name>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>List</source>
        <translation>列表</translation>
    </message>
    <message>
        <source>Spectrum</source>
        <translation>光谱</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Recent sessions</source>
        <translation>最近的会话</translation>
    </message>
    <message>
        <source>Panels</source>
        <translation>面板</translation>
    </message>
    <message>
        <source>View</source>
        <translation>查看</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>智能体</translation>
    </message>
</context>
<context>
    <name>notes</name>
    <message>
        <source>Smoothed {px} px = {kms} km/s (FWHM)</source>
        <translation>平滑 {px} 像素 = {kms} km/s (FWHM)</translation>
    </message>
    <message>
        <source>Template: {name}</source>
        <translation>模板：{name}</translation>
    </message>
    <message>
        <source> (no overlap)</source>
        <translation> （无重叠）</translation>
    </message>
    <message>
        <source>No data at {range}: showing the whole spectrum</source>
        <translation>{range} 无数据：显示全谱</translation>
    </message>
    <message>
        <source>At {place}: {lines}</source>
        <translation>{place} 处：{lines}</translation>
    </message>
    <message>
        <source>no known line</source>
        <translation>无已知谱线</translation>
    </message>
</context>
<context>
    <name>opening</name>
    <message>
        <source>{name} cannot be shown: its contents are damaged or not known to this version. Open a backup, or send us the crash report (menu Help)</source>
        <translation>无法显示 {name}：其内容已损坏，或本版本无法识别。请打开备份，或将崩溃报告发给我们（“帮助”菜单）</translation>
    </message>
</context>
<context>
    <name>rating</name>
    <message>
        <source>Score</source>
        <translation>分数</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Share at or below</source>
        <translation>不高于该分数的占比</translation>
    </message>
    <message>
        <source>{one} and {other} equal</source>
        <translation>{one} 与 {other} 一样好</translation>
    </message>
    <message>
        <source>{one} better than {other}</source>
        <translation>{one} 优于 {other}</translation>
    </message>
    <message>
        <source>{symbol} {model}: mean {mean}, n = {n}</source>
        <translation>{symbol} {model}：平均 {mean}，n = {n}</translation>
    </message>
    <message>
        <source>{name} (model)</source>
        <translation>{name}（模型）</translation>
    </message>
    <message>
        <source>Coherence</source>
        <translation>连贯性</translation>
    </message>
    <message>
        <source>Physical consistency</source>
        <translation>物理一致性</translation>
    </message>
    <message>
        <source>In daily use</source>
        <translation>日常使用</translation>
    </message>
</context>
<context>
    <name>readout</name>
    <message>
        <source>(air)</source>
        <translation>（空气）</translation>
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
        <source>Sub-class saved</source>
        <translation>子类已保存</translation>
    </message>
    <message>
        <source>Field saved</source>
        <translation>字段已保存</translation>
    </message>
    <message>
        <source>Saved: {what}</source>
        <translation>已保存：{what}</translation>
    </message>
    <message>
        <source>Undone: {what}</source>
        <translation>已撤销：{what}</translation>
    </message>
    <message>
        <source>Redone: {what}</source>
        <translation>已重做：{what}</translation>
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
    <message>
        <source>Velocity saved</source>
        <translation>速度已保存</translation>
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
        <source>Not calibrated: p(YES) ranks candidates but is not a probability.</source>
        <translation>未校准：p(YES) 只能用于候选体排序，不是概率。</translation>
    </message>
    <message>
        <source>There are enough verdicts to calibrate it.</source>
        <translation>判定数已足够校准。</translation>
    </message>
    <message>
        <source>Before an agent&apos;s result was seen you gave {accept} ACCEPT and {reject} REJECT; {more} are needed.</source>
        <translation>看到智能体的结果之前，您给出了 {accept} 个 ACCEPT 和 {reject} 个 REJECT，还需要 {more}。</translation>
    </message>
    <message>
        <source>Every object with a p(YES) is judged: nothing is left to decide.</source>
        <translation>有 p(YES) 的天体均已判定，没有需要决定的了。</translation>
    </message>
    <message>
        <source>Above the cut the judged objects differ from the unjudged ones: judge a random sample of those before you rely on the cut.</source>
        <translation>阈值以上已判定的天体与未判定的分布不同：在依据此阈值之前，请先随机判定其中一些。</translation>
    </message>
    <message>
        <source>The accepted fraction is not steady: {first} at first, {last} now, from {low} to {high} overall. Agreement with the agent has changed too: review some objects again.</source>
        <translation>接受比例不稳定：起初 {first}，现在 {last}，全程在 {low} 与 {high} 之间。与智能体的一致性也有变化：请重看一些天体。</translation>
    </message>
    <message>
        <source>The accepted fraction is not steady: {first} at first, {last} now, from {low} to {high} overall. Agreement with the agent has not changed, so the list may vary.</source>
        <translation>接受比例不稳定：起初 {first}，现在 {last}，全程在 {low} 与 {high} 之间。与智能体的一致性没有变化，可能是列表本身有变化。</translation>
    </message>
    <message>
        <source>The accepted fraction is not steady: {first} at first, {last} now, from {low} to {high} overall. A repeat round would show whether the list or the person varies.</source>
        <translation>接受比例不稳定：起初 {first}，现在 {last}，全程在 {low} 与 {high} 之间。进行一轮复核即可看出变化的是列表还是判定者。</translation>
    </message>
    <message>
        <source>Too few to tell whether noise matters: at least {n} objects judged by two people are needed in each of two ranges.</source>
        <translation>太少，看不出噪声是否有影响：两个信噪比范围内都至少需要 {n} 个由两人判定的天体。</translation>
    </message>
    <message>
        <source>People agree less below S/N {snr}: kappa {noisy} on {n} objects, {good} on {m} of the highest S/N.</source>
        <translation>信噪比低于 {snr} 时人们的一致程度较低：{n} 个天体的 kappa 为 {noisy}，信噪比最高的 {m} 个为 {good}。</translation>
    </message>
    <message>
        <source>No clear difference between noisy and good spectra.</source>
        <translation>噪声大的光谱与好光谱之间没有明显差别。</translation>
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
        <source>From p(YES) {p} upwards, at least {wanted} are real with {sure} confidence: {observed} of the {n} judged there are.</source>
        <translation>p(YES) 不低于 {p} 者至少 {wanted} 为真（置信度 {sure}）：其中已判定 {n} 个，{observed} 为真。</translation>
    </message>
    <message>
        <source>No cut for a precision of {wanted} yet: it needs {needed} judged candidates with the highest p(YES) and at most one mistake among them, and you have {have}.</source>
        <translation>尚无法给出查准率 {wanted} 的阈值：需要从 p(YES) 最高者起 {needed} 个已判定的候选体，其中至多一个为假，现有 {have} 个。</translation>
    </message>
    <message>
        <source>No cut for a precision of {wanted} yet: it needs {needed} judged candidates with the highest p(YES) and no mistake among them, and you have {have}.</source>
        <translation>尚无法给出查准率 {wanted} 的阈值：需要从 p(YES) 最高者起 {needed} 个已判定且全部为真的候选体，现有 {have} 个。</translation>
    </message>
    <message>
        <source>Judge {n} more, the highest p(YES) first.</source>
        <translation>请再判定 {n} 个，从 p(YES) 最高者开始。</translation>
    </message>
    <message>
        <source>This takes {n} more, and {left} can still be judged: lower the target or change the model.</source>
        <translation>这还需要 {n} 个，而可判定的只剩 {left} 个：请降低目标，或换一个模型。</translation>
    </message>
    <message>
        <source>This takes {n} more with a p(YES) above {p}, and {left} can still be judged: lower the target or change the model.</source>
        <translation>这还需要 {n} 个 p(YES) 高于 {p} 的天体，而可判定的只剩 {left} 个：请降低目标，或换一个模型。</translation>
    </message>
    <message>
        <source>Of {n} unjudged, {accepted} would be accepted and {asked} left to you.</source>
        <translation>尚未判定的 {n} 个中，{accepted} 个会被接受，{asked} 个留给您判定。</translation>
    </message>
    <message>
        <source>Guaranteed: at most {n} of those accepted are false.</source>
        <translation>可保证：被接受者中至多 {n} 个为假。</translation>
    </message>
    <message>
        <source>Guaranteed: at most {n} of those accepted are false; about {m} by calibrated p(YES).</source>
        <translation>可保证：被接受者中至多 {n} 个为假；按校准后的 p(YES) 约 {m} 个。</translation>
    </message>
</context>
<context>
    <name>session_path</name>
    <message>
        <source>Give the session file a name</source>
        <translation>请为会话文件命名</translation>
    </message>
    <message>
        <source>{name} already exists: choose another name</source>
        <translation>{name} 已存在：请换一个名称</translation>
    </message>
    <message>
        <source>{folder} is not a folder</source>
        <translation>{folder} 不是文件夹</translation>
    </message>
    <message>
        <source>{folder} is not writable: choose another folder</source>
        <translation>{folder} 无法写入：请另选一个文件夹</translation>
    </message>
</context>
<context>
    <name>snapshot</name>
    <message>
        <source>choose a name in .png, .svg or .pdf</source>
        <translation>请使用 .png、.svg 或 .pdf 文件名</translation>
    </message>
    <message>
        <source>cannot be written: choose another folder</source>
        <translation>无法写入：请另选文件夹</translation>
    </message>
</context>
<context>
    <name>start</name>
    <message>
        <source>cannot create the folder</source>
        <translation>无法创建文件夹</translation>
    </message>
</context>
<context>
    <name>study</name>
    <message>
        <source>Judged without the agent, and at once again with it</source>
        <translation>先不参考智能体判定，随即参考它再判定</translation>
    </message>
    <message>
        <source>Judged twice, with the agent and without, far apart</source>
        <translation>判定两次，参考与不参考智能体各一次，相隔较远</translation>
    </message>
    <message>
        <source>Judged once, with the agent or without</source>
        <translation>判定一次，参考或不参考智能体</translation>
    </message>
</context>
<context>
    <name>templates</name>
    <message>
        <source>there is no template {name}: choose another one</source>
        <translation>没有名为 {name} 的模板：请另选一个</translation>
    </message>
    <message>
        <source>this template has no usable pixels: choose another file</source>
        <translation>此模板没有可用的像素：请另选文件</translation>
    </message>
    <message>
        <source>has {count} pixels; a template may have at most {most}</source>
        <translation>共 {count} 个像素；模板至多可有 {most} 个</translation>
    </message>
    <message>
        <source>cannot be read: reinstall the program</source>
        <translation>无法读取：请重新安装程序</translation>
    </message>
</context>
<context>
    <name>titles</name>
    <message>
        <source>Velocity about {line} (km/s)</source>
        <translation>相对 {line} 的速度（km/s）</translation>
    </message>
    <message>
        <source>Velocity about {line} at rest (km/s)</source>
        <translation>静止系中相对 {line} 的速度（km/s）</translation>
    </message>
    <message>
        <source>Rest wavelength ({unit}, vacuum)</source>
        <translation>静止系波长（{unit}，真空）</translation>
    </message>
    <message>
        <source>Rest wavelength ({unit}, air)</source>
        <translation>静止系波长（{unit}，空气）</translation>
    </message>
    <message>
        <source>Wavelength ({unit}, vacuum)</source>
        <translation>波长（{unit}，真空）</translation>
    </message>
    <message>
        <source>Wavelength ({unit}, air)</source>
        <translation>波长（{unit}，空气）</translation>
    </message>
    <message>
        <source>Normalised flux</source>
        <translation>归一化流量</translation>
    </message>
    <message>
        <source>Relative flux</source>
        <translation>相对流量</translation>
    </message>
    <message>
        <source>Flux</source>
        <translation>流量</translation>
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
        <source>All your candidates: {queue} or a click here shows the list, and {queue} hides it. {next} and {previous} move through it; above it, choose which candidates to see and in which order, for example best scores first, or where two agents differ.</source>
        <translation>您的全部候选体：按 {queue} 或点击这里显示列表，再按 {queue} 收起。{next} 和 {previous} 在列表中前后移动；在列表上方选择显示哪些候选体以及顺序，例如得分高者在前，或两个智能体意见不同者在前。</translation>
    </message>
    <message>
        <source>All your candidates. {next} and {previous} move through the list; click a row to go to it. Above the list, choose which candidates to see and in which order, for example best scores first, or where two agents differ.</source>
        <translation>全部候选体。按 {next} 和 {previous} 在列表中移动，点击一行即可跳到该行。在列表上方选择显示哪些候选体、按什么顺序，例如评分最高者优先，或两个智能体有分歧者优先。</translation>
    </message>
    <message>
        <source>The mouse wheel zooms, dragging pans, and {whole} shows the whole spectrum. {first} to {last} go to the diagnostic windows of this class; the strip below shows where you are.</source>
        <translation>滚轮缩放，拖动平移，{whole} 显示全谱。{first} 至 {last} 跳到该类别的诊断窗口；下方的条带显示当前位置。</translation>
    </message>
    <message>
        <source>{accept} accepts, {reject} rejects, {unsure} marks as unsure, and the next candidate appears. Every verdict is saved at once, and {undo} undoes any number of them. The keys work during the tour: try them.</source>
        <translation>{accept} 接受，{reject} 排除，{unsure} 存疑，随后出现下一个候选体。每个判定立即保存，{undo} 可逐个撤销任意多个。导览期间这些键也有效：不妨试试。</translation>
    </message>
    <message>
        <source>{run} starts an inspection of this spectrum: the plot follows the agent&apos;s looks, and measurements are shown beside its statements. The agent proposes, you decide. Help, About describes the models&apos; training data and limits.</source>
        <translation>{run} 开始检视此光谱：图随智能体的查看而移动，其说法旁列有测量值。智能体提建议，由您决定。模型的训练数据及其局限见“帮助”菜单的“关于”。</translation>
    </message>
    <message>
        <source>{export} exports your verdicts and the agent&apos;s for use in other programs. {keys} shows all keys, {palette} finds a command by name, and {help} opens the guide. You can restart this tour from the Help menu.</source>
        <translation>{export} 把您的判定连同智能体的判定一起导出，供其他程序使用。{keys} 显示全部按键，{palette} 按名称查找命令，{help} 打开指南。可从“帮助”菜单再次开始本导览。</translation>
    </message>
</context>
<context>
    <name>undone</name>
    <message>
        <source>The repeated verdict was undone</source>
        <translation>已撤销重复的判定</translation>
    </message>
    <message>
        <source>{n} candidates changed together</source>
        <translation>一并更改了 {n} 个候选体</translation>
    </message>
    <message>
        <source>without a verdict</source>
        <translation>无判定</translation>
    </message>
</context>
<context>
    <name>velocity</name>
    <message>
        <source>by hand</source>
        <translation>手动</translation>
    </message>
    <message>
        <source>from a template</source>
        <translation>由模板</translation>
    </message>
    <message>
        <source>from lines</source>
        <translation>由谱线</translation>
    </message>
    <message>
        <source>of the header</source>
        <translation>文件头所给</translation>
    </message>
    <message>
        <source>of the list</source>
        <translation>列表所给</translation>
    </message>
    <message>
        <source>quality {number}</source>
        <translation>质量 {number}</translation>
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
    <message>
        <source>≠ Members disagree: {what}</source>
        <translation>≠ 成员意见不同：{what}</translation>
    </message>
    <message>
        <source>Where the two disagreed in tests, measured was right in {right} of {count}.</source>
        <translation>测试中两者意见不同的 {count} 个里，测量检验者有 {right} 个是对的。</translation>
    </message>
    <message>
        <source>≠ A member gave no answer: {what}</source>
        <translation>≠ 有成员没有回答：{what}</translation>
    </message>
</context>
<context>
    <name>weighed</name>
    <message>
        <source>{label}: {why}</source>
        <translation>{label}：{why}</translation>
    </message>
    <message>
        <source>{label} {value}: tells nothing of this class</source>
        <translation>{label} {value}：不说明此类别</translation>
    </message>
    <message>
        <source>{value} without all dust: the smaller weight counts</source>
        <translation>扣除全部尘埃后为 {value}：取较小的权重</translation>
    </message>
    <message>
        <source>nearest of {n}</source>
        <translation>{n} 个中最近的</translation>
    </message>
    <message>
        <source>counts no more: it repeats another claim</source>
        <translation>不再计入：与另一条重复</translation>
    </message>
    <message>
        <source>{source}. Weights, by judgement: {found} or {absent}</source>
        <translation>{source}。权重出于判断：{found} 或 {absent}</translation>
    </message>
    <message>
        <source>{services} not asked</source>
        <translation>未查询 {services}</translation>
    </message>
    <message>
        <source>{services} failed, so nobody knows</source>
        <translation>{services} 失败，没有人知道</translation>
    </message>
    <message>
        <source>{services} has nothing there, which counts nothing</source>
        <translation>{services} 在此没有天体，不计入</translation>
    </message>
    <message>
        <source>{services} gives no such value</source>
        <translation>{services} 没有给出此值</translation>
    </message>
    <message>
        <source>the parallax is too poor to tell</source>
        <translation>视差太差，无法判断</translation>
    </message>
    <message>
        <source>no catalogue has such a value</source>
        <translation>没有星表有此值</translation>
    </message>
    <message>
        <source>not weighed</source>
        <translation>未计入</translation>
    </message>
</context>
</TS>
