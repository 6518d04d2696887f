"""Samples of live tables: one real value of every part of their views, of the walk and of the notice."""

from typing import Final

from croupier.house.settings import Recording
from croupier.protocol import live
from croupier.rules.geometry import SegmentGroup, SpotKey, SpotKind

SEVENTEEN, SPLIT, MARKER = SpotKey("17"), SpotKey("17/20"), SpotKey("neighbours 25")
DIGEST: Final = "5d41402a" * 8

COLOUR: Final = live.ColourRow(colour="violet", position=4, value=2_500, marker=True, out=92, pieces=300)
ADVICE: Final = live.AdviceRow(code="stake_over_maximum", clause="12(f)", spot=SEVENTEEN, stake=12_500, limit=10_000)
PLAYER: Final = live.PlayerRow(
    position=4,
    label="Seat 4",
    colours=("violet",),
    second_colour=False,
    chips={SEVENTEEN: {"violet": 5}, MARKER: {"violet": 10}},
    carried={SpotKey("red"): {"violet": 2}},
    advice=(ADVICE,),
    advised=False,
    barred=None,
    infringements=1,
    group=None,
    markers=False,
    arrangement=None,
    straight_only=False,
    payable=0,
    owed=0,
    undecided=None,
    choices=(),
)
FLOAT: Final = live.FloatRow(opened=2_600_000, fills=750_000, credits=200_000, counted=None)
MARK: Final = live.NoticeMark(digest=DIGEST, checked=True, clause="8(b)")
INFRINGEMENT: Final = live.InfringementRow(kind="touched", clause="12(d)", effect="count")
CONDUCT: Final = live.ConductRules(
    infringements=(INFRINGEMENT,),
    infringements_most=3,
    barring="12(d)",
    partnership="12(e) first",
    designated_only=False,
    markers="12(a)",
    arrangement="8(a)",
    carried="4.3",
    release="4.4",
)
GAP: Final = live.GapRow(since_us=1_700_000_000_000_000, words="The tablet was off for three spins.")
LIVE: Final = live.LiveState(
    recording=Recording.FULL,
    emblem="anchor",
    currency="AUD",
    denominations=(100_000, 50_000, 10_000, 2_500, 500),
    least=500,
    colours=(COLOUR,),
    players={"4": PLAYER},
    float=FLOAT,
    notice=MARK,
    conduct=CONDUCT,
    gap=GAP,
)
VIEW: Final = live.LiveView(table="A", lv=7, state=LIVE)
LINE: Final = live.WalkLine(spot=SPLIT, odds=17, clause="8(a) B", chip="blue", settled=1_500, due=25_500, pieces=51)
NOTE: Final = live.WalkNote(kind="capped", spot=SEVENTEEN, before=12_500, after=10_000, clause="12(f)")
MARKERS: Final = live.WalkMarker(position=7, spot=MARKER, chip="sky", pieces=10, stays=2, hit=True)
POSITION: Final = live.WalkPosition(
    position=1,
    sealed={SPLIT: {"blue": 3}, SpotKey("8"): {"blue": 2}},
    stays={SPLIT: {"blue": 3}},
    came={SpotKey("red"): {"blue": 2}},
    carried={SpotKey("red"): {"blue": 2}},
    returned={SpotKey("even"): {"blue": 2}},
    collected=(("blue", 2),),
    amount=1_000,
    handed=0,
    notes=(NOTE,),
)
PAYMENT: Final = live.WalkPayment(
    segment="inside",
    position=1,
    lines=(LINE,),
    due=25_500,
    paid=25_500,
    rounding=None,
    pieces=(("blue", 51),),
    colours=(("blue", 11),),
    cash=(("v10000", 2),),
    undecided=None,
    choices=(),
    made=False,
)
MOVE: Final = live.WalkMove(position=1, spot=SPLIT, chip="blue", pieces=3)
MOVES: Final = live.WalkMoves(clause="11(e)", lifted=(MOVE,), restored=(), freed=(), imprisoned=(MOVE,))
WALK: Final = live.WalkState(
    round=214,
    pocket="17",
    marked="17",
    clause="9(e)",
    recorded=True,
    collected=True,
    over=False,
    amount=49_000,
    positions=(POSITION,),
    markers=(MARKERS,),
    payments=(PAYMENT,),
    moves=MOVES,
)
ODDS: Final = live.OddsRow(
    letters=("A",),
    kinds=(SpotKind("straight"),),
    segment=SegmentGroup.INSIDE,
    labels=("straight up",),
    pays=35,
    least=500,
    most=10_000,
    clause="8(a) A",
    spots=(SpotKey("23"),),
)
TERMS: Final = live.MarkerTerms(call="neighbours", least=2_500)
RULE: Final = live.NoticeRule(rule="under", amount=500, clause="12(e) second")
GROUP: Final = live.NoticeArrangement(arrangement=1, clause="8(a)i", rows=(ODDS,), marker=TERMS)
NOTICE: Final = live.NoticeState(
    table="A",
    venue="SkyCity Adelaide",
    rulebook="skycity-adelaide-2003",
    currency="AUD",
    digest=DIGEST,
    least=500,
    multiples=False,
    marker=TERMS,
    rows=(ODDS,),
    arrangements=(GROUP,),
    rules=(RULE,),
    advice="12(k)",
)

#: What the messages of live tables are made of.
LIVE_PARTS: Final = (
    *(LIVE, VIEW, COLOUR, PLAYER, ADVICE, FLOAT, MARK, CONDUCT, INFRINGEMENT, GAP),
    *(WALK, POSITION, NOTE, MARKERS, PAYMENT, LINE, MOVES, MOVE),
    *(NOTICE, GROUP, ODDS, TERMS, RULE),
)
