"""Words that say nothing about what is sought, folded as the analyser folds them. Left out of queries only."""

from __future__ import annotations

_ENGLISH = """
a about after all also am an and any are as at be because been before being between both but by ca can could did do
does doing down during each few for from further had has have having he her here hers him his how i if in into is it
its itself just me more most my no nor not of off on once only or other our ours out over own please same she should
so some such tell than that the their theirs them then there these they this those through to too under until up us
very was we were what when where which while who whom whose why will with wo would you your yours
"""
_RUSSIAN = """
а без бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его ее если есть еще же за
здесь и из или им их к как какая какие какой ко когда которая которое которые который кто ли либо мне мной мой моя мы
на над нам нас наш не него нее нет ни них но ну о об обо он она они оно от очень по под при про с сам свой себя со так
такой там тебе тебя то тоже только том ты у уже чего чем что чтобы эта эти это этого этой этом этот я
"""
_CHINESE = """
的 了 是 在 和 有 我 你 他 她 它 们 这 那 也 都 就 不 吗 呢 吧 啊 与 及 或 把 被 让 我们 你们 他们 她们 什么 怎么 这个 那个
哪个 哪里 这些 那些 一个 可以 没有 不是 就是 还是 但是 因为 所以 如果 为什 如何 多少 时候 是否 请问
"""
_JAPANESE = (
    "の は を に が で と も へ や か ね よ です ます した ました する から まで この その あの これ それ"
)

STOP_WORDS = frozenset(f"{_ENGLISH} {_RUSSIAN} {_CHINESE} {_JAPANESE}".split())
