"""The table of rules: one row for each way to say what the rehearsal understands, in English, Russian and Chinese.

A row's pattern fits a whole message, behind what `BEFORE` lets stand in front of it; its group `about` is what the request is
about: a folder, a fact, a question, a command. Earlier rows win.
"""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What can be asked of the rehearsal."""

    WORK = "work"
    GO_ON = "go_on"
    STOP = "stop"
    STATUS = "status"
    REMEMBER = "remember"
    FORGET = "forget"
    KNOW = "know"
    DECIDED = "decided"
    RUN = "run"
    ASK = "ask"
    ANSWER = "answer"
    INFORMATION = "information"
    OTHER = "other"


BEFORE = {
    "en": r"(?:(?:hey|hi|ok|okay|please|now|then|and|also|could you|can you|would you|vibey)[,:!]?\s+)*",
    "ru": r"(?:(?:привет|пожалуйста|а|и|теперь|потом|ещ[её]|также|ну|слушай)[,:!]?\s+)*",
    "zh": r"(?:请|麻烦你?|帮我|再|还有|也|现在|然后|[，,\s])*",
}
_END = r"[\s.!?。！？…]*"
_END_OF_PATH = r"[\s!?。！？…]*"

_PATH = r"""(?P<about>"[^"]+"|'[^']+'|`[^`]+`|«[^»]+»|“[^”]+”|「[^」]+」|\S.*?)"""
_WORD_OR_PATH = r"""(?P<about>"[^"]+"|'[^']+'|`[^`]+`|«[^»]+»|“[^”]+”|「[^」]+」|\S+?)"""

_EN_VERB = r"(?:(?:work|go|read|look|get)\s+(?:your\s+way\s+)?through|process|handle|review|summari[sz]e)"
_EN_FILES = r"(?:\s+(?:all|each|every|everything|of|the|my|files?|documents?|in|from|inside))*"
_EN_TAIL = (
    r"(?:,?\s+(?:one\s+(?:by\s+one|after\s+(?:the\s+other|another))|file\s+by\s+file|in\s+order|as\s+a\s+queue))?"
    r"(?:,?\s+and\s+(?:then\s+)?(?:write|make|give|leave|prepare)\b.*)?" + _END_OF_PATH
)
_RU_VERB = r"(?:обработай|разбери|пройди|пройдись|прочитай|просмотри|перебери|проработай|поработай|арбайт\w*)(?:те)?(?:сь)?"
_RU_FILES = r"(?:\s+(?:все|всю|весь|всем|каждый|файлы?|файлам|документы|по|с|над|в|во|из|содержимое))*"
_RU_TAIL = (
    r"(?:,?\s+(?:по\s+очереди|по\s+одному|один\s+за\s+другим|по\s+порядку|пожалуйста))?"
    r"(?:,?\s+и\s+(?:напиши|сделай|составь|оставь|подготовь)\b.*)?" + _END_OF_PATH
)
_ZH_EACH = r"(?:都|依次|逐个|挨个|一个一个地?|全部)*"
_ZH_INSIDE = r"\s*(?:里|中|下|内)?面?的?(?:所有|全部|每个)?(?:的)?(?:文件)?"
_ZH_VERB = r"(?:处理|整理|总结|过|看|读)(?:一遍|一下|完)?"

RULES: tuple[tuple[Kind, str, str], ...] = (
    (Kind.ANSWER, "en", r"Answer to question \S+:\s*(?P<about>.+)"),  # as the harness delivers a late one
    (
        Kind.STOP,
        "en",
        r"(?:stop|halt|pause|wait|enough)(?:\s+(?:it|that|this|now|there|working|here))*" + _END,
    ),
    (Kind.STOP, "ru", r"(?:стоп|стой|остановись|хватит|пауза|прекрати|подожди|остановитесь)" + _END),
    (Kind.STOP, "zh", r"(?:停|停下|停止|暂停|停一下|等一下|别做了|停下来)吧?" + _END),
    (
        Kind.GO_ON,
        "en",
        r"(?:go\s+on|continue|resume|carry\s+on|keep\s+going|proceed)(?:\s+(?:with\s+)?(?:it|that|the\s+\w+|working))?"
        + _END,
    ),
    (
        Kind.GO_ON,
        "ru",
        r"(?:давай\s+)?(?:продолжай|продолжи|продолжим|дальше|продолжайте)(?:\s+работу)?" + _END,
    ),
    (Kind.GO_ON, "zh", r"(?:继续|接着)(?:做|来|工作|处理)?(?:下去)?吧?" + _END),
    (
        Kind.STATUS,
        "en",
        r"(?:(?:what(?:['’]s|\s+is)\s+(?:the|your)\s+)?(?:status|progress)|how\s+far\s+(?:are\s+you|did\s+you\s+get)|"
        r"where\s+(?:are\s+you|were\s+we)(?:\s+now)?)" + _END,
    ),
    (
        Kind.STATUS,
        "ru",
        r"(?:(?:какой\s+)?статус|как\s+(?:идут\s+)?дела|как\s+продвигается|где\s+ты\s+сейчас|на\s+ч[её]м\s+(?:ты\s+)?остановил(?:ся|ись))"
        + _END,
    ),
    (Kind.STATUS, "zh", r"(?:进度|状态|到哪里?儿?了|做到哪里?儿?了|进展)(?:怎么样|如何)?了?" + _END),
    (
        Kind.WORK,
        "en",
        _EN_VERB + _EN_FILES + r"\s+(?:folder|directory|dir)\s+(?:called\s+|named\s+)?" + _PATH + _EN_TAIL,
    ),
    (
        Kind.WORK,
        "en",
        _EN_VERB
        + _EN_FILES
        + r"\s+(?!(?:the|this|that|my|a)\s+(?:folder|directory|dir)\b)"
        + _PATH
        + r"\s+(?:folder|directory|dir)"
        + _EN_TAIL,
    ),
    (
        Kind.WORK,
        "en",
        _EN_VERB
        + r"(?:\s+(?:all|each|every|the|of))*\s+(?:files?|documents?)\s+(?:in|from|inside|of)\s+(?:the\s+)?"
        + _PATH
        + _EN_TAIL,
    ),
    (
        Kind.WORK,
        "en",
        r"(?:work|go)\s+(?:your\s+way\s+)?through\s+(?!(?:it|them|this|that|everything)\b)"
        + _WORD_OR_PATH
        + _EN_TAIL,
    ),
    (Kind.WORK, "ru", _RU_VERB + _RU_FILES + r"\s+(?:папк\w+|каталог\w*|директори\w+)\s+" + _PATH + _RU_TAIL),
    (Kind.WORK, "ru", _RU_VERB + r"(?:\s+все)?\s+(?:файлы|документы)\s+(?:в|во|из)\s+" + _PATH + _RU_TAIL),
    (Kind.WORK, "ru", r"арбайт\w*(?:\s+по)?\s+" + _WORD_OR_PATH + _RU_TAIL),
    (
        Kind.WORK,
        "zh",
        r"(?:把|将)?\s*(?:文件夹|目录)\s*" + _WORD_OR_PATH + _ZH_INSIDE + _ZH_EACH + _ZH_VERB + _END_OF_PATH,
    ),
    (
        Kind.WORK,
        "zh",
        r"(?:把|将)\s*"
        + _WORD_OR_PATH
        + r"\s*(?:文件夹|目录|里|中|下)"
        + _ZH_INSIDE
        + _ZH_EACH
        + _ZH_VERB
        + _END_OF_PATH,
    ),
    (
        Kind.WORK,
        "zh",
        _ZH_EACH + _ZH_VERB + r"\s*(?:文件夹|目录)\s*" + _WORD_OR_PATH + _ZH_INSIDE + _END_OF_PATH,
    ),
    (
        Kind.WORK,
        "zh",
        _ZH_EACH
        + _ZH_VERB
        + r"\s*"
        + _WORD_OR_PATH
        + r"\s*(?:文件夹|目录|里|中|下)"
        + _ZH_INSIDE
        + _END_OF_PATH,
    ),
    (
        Kind.REMEMBER,
        "en",
        r"(?:remember|note|memori[sz]e|keep\s+in\s+mind|don['’]?t\s+forget)(?:\s*[,:]|\s+that\b)?\s*[,:]?\s+(?P<about>.+?)[\s.!]*",
    ),
    (
        Kind.REMEMBER,
        "ru",
        r"(?:запомни|запомните|помни|учти|не\s+забудь|не\s+забывай)(?:\s*[,:])?(?:\s+что\b)?\s*[,:]?\s+(?P<about>.+?)[\s.!]*",
    ),
    (
        Kind.REMEMBER,
        "zh",
        r"(?:记住|记得|记下来?|记一下|别忘了)\s*[，,：:]?\s*(?!.*吗[？?]?$)(?P<about>.+?)[\s.!。！]*",
    ),
    (
        Kind.FORGET,
        "en",
        r"forget(?:\s+(?:about|that|what\s+(?:i|you)\s+(?:said|know)\s+about))?\s+(?P<about>.+?)" + _END,
    ),
    (
        Kind.FORGET,
        "ru",
        r"(?:забудь|забудьте|удали\s+из\s+памяти)(?:\s*[,:])?(?:\s+(?:что|про|об?|о\s+том,?\s+что))?\s+(?P<about>.+?)"
        + _END,
    ),
    (Kind.FORGET, "zh", r"(?:忘记|忘掉|忘了)(?:关于)?\s*[，,：:]?\s*(?P<about>.+?)" + _END),
    (
        Kind.DECIDED,
        "en",
        r"(?:what|when|where|why|how)\s+(?:did|have|had|do)\s+(?:we|i|you)\s+(?:\w+\s+)?(?:decided?|sa(?:y|id)|agreed?|discuss(?:ed)?|talk(?:ed)?|"
        r"wr[io]te|t[eo]ll?d?|settled?|mention(?:ed)?)(?:\s+(?:about|on|upon|for|regarding|concerning|to|with))*\s+(?P<about>.+?)"
        + _END,
    ),
    (
        Kind.DECIDED,
        "en",
        r"what\s+was\s+(?:decided|said|agreed)(?:\s+(?:about|on|for))?\s+(?P<about>.+?)" + _END,
    ),
    (
        Kind.DECIDED,
        "ru",
        r"(?:что|о\s+ч[её]м|как|когда|почему)\s+(?:мы|я|ты)\s+(?:\w+\s+)?(?:решили|решил|говорили?|сказал[аи]?|обсуждали|обсудили|"
        r"договорились|писали?)(?:\s+(?:об?|обо|по|про|насч[её]т|для|на\s+сч[её]т))?\s+(?P<about>.+?)" + _END,
    ),
    (
        Kind.DECIDED,
        "zh",
        r"我们?(?:上次|之前|以前)?(?:关于|对于?|就)\s*(?P<about>.+?)(?:都|是)?(?:怎么)?(?:决定|说过?|讨论|商量|约定)(?:了|过|的)?(?:什么|哪些)?(?:的)?"
        + _END,
    ),
    (
        Kind.DECIDED,
        "zh",
        r"(?:关于|对于)\s*(?P<about>.+?)[，,]?\s*我们?(?:上次|之前|以前)?(?:都|是)?(?:怎么)?(?:决定|说|讨论|商量|约定)(?:了|过|的)?(?:什么|哪些)?(?:的)?"
        + _END,
    ),
    (
        Kind.KNOW,
        "en",
        r"(?:tell\s+me\s+)?what\s+(?:do|did)\s+you\s+(?:know|remember|have)\s+(?:about|of|on)\s+(?P<about>.+?)"
        + _END,
    ),
    (
        Kind.KNOW,
        "en",
        r"do\s+you\s+(?:know|remember)\s+(?:(?:what|who|where|when|which|how|that|if|about)\s+)?(?P<about>.+?)"
        + _END,
    ),
    (
        Kind.KNOW,
        "en",
        r"(?:what|who|which|where|when)(?:['’]s|\s+is|\s+are|\s+was|\s+were)\s+(?P<about>(?:my|our|the\s+name\s+of\s+my)\s+.+?)"
        + _END,
    ),
    (Kind.KNOW, "en", r"(?:what|which)\s+(?P<about>.+?\s+do\s+i\s+.+?)" + _END),
    (Kind.KNOW, "en", r"(?P<about>who\s+am\s+i)" + _END),
    (
        Kind.KNOW,
        "ru",
        r"что\s+(?:ты|вы)\s+(?:знаешь|знаете|помнишь|помните)\s+(?:обо?|о|про)\s+(?P<about>.+?)" + _END,
    ),
    (
        Kind.KNOW,
        "ru",
        r"(?:ты|вы)?\s*(?:знаешь|помнишь|знаете|помните)(?:\s+ли)?(?:\s+(?:ты|вы))?\s*,?\s+(?P<about>.+?)"
        + _END,
    ),
    (Kind.KNOW, "ru", r"(?P<about>как\s+меня\s+зовут|кто\s+я(?:\s+такой|\s+такая)?)" + _END),
    (Kind.KNOW, "ru", r"как\s+зовут\s+(?P<about>мо[йяеёию].+?)" + _END),
    (Kind.KNOW, "ru", r"(?:как\w+|что|кто|где|когда|как)\s+(?P<about>(?:у\s+меня|мо[йяеёию])\s+.+?)" + _END),
    (
        Kind.KNOW,
        "zh",
        r"(?:你)(?:还)?(?:知道|记得)(?:关于)?\s*(?P<about>.+?)(?:的(?:什么|哪些)(?:事|事情)?|什么)?吗?"
        + _END,
    ),
    (Kind.KNOW, "zh", r"关于\s*(?P<about>.+?)[，,]?\s*你(?:都)?(?:知道|记得)(?:些)?什么" + _END),
    (Kind.KNOW, "zh", r"(?P<about>我的.+?)(?:是(?:什么|谁|哪.{0,3}|多少)|叫什么(?:名字)?|在哪里?)" + _END),
    (Kind.KNOW, "zh", r"(?P<about>我叫什么(?:名字)?|我是谁)" + _END),
    (Kind.RUN, "en", r"(?:run|execute)(?:\s+(?:the\s+)?command)?\s*:?\s+(?P<about>.+)"),
    (Kind.RUN, "ru", r"(?:выполни|запусти)(?:те)?(?:\s+команду)?\s*:?\s+(?P<about>.+)"),
    (Kind.RUN, "zh", r"(?:运行|执行)(?:一下)?(?:命令)?\s*[：:]?\s*(?P<about>.+)"),
    (Kind.ASK, "en", r"ask\s+me\s*(?:about\s+|:\s*)?(?P<about>.+)"),
    (Kind.ASK, "ru", r"(?:спроси|спросите)\s+(?:у\s+)?меня\s*[,:]?\s+(?P<about>.+)"),
    (Kind.ASK, "zh", r"问(?:一下)?我\s*[，,：:]?\s*(?P<about>.+)"),
)
