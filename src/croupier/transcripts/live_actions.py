"""Transcript actions of players with chips and of the staff at their table."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from croupier.house import AnyCommand
from croupier.house.declare import Command, Event
from croupier.house.ids import PositionId
from croupier.house.live.arrangements import (
    AdjustChips,
    AdmitPlayer,
    BarPlayer,
    DesignateMarkers,
    InfringementNoted,
    MarkersDesignated,
    NoteInfringement,
    PlayerAdmitted,
    PlayerBarred,
)
from croupier.house.live.carried_chips import ChipsReleased, ReleaseChips
from croupier.house.live.chip_settlement import CORRECTION
from croupier.house.live.floats import (
    CloseFloat,
    CollectDrop,
    CountFloat,
    CreditFloat,
    FillFloat,
    FloatCounted,
    OpenFloat,
)
from croupier.house.live.notice import notice_digest
from croupier.house.live.partners import LinkPlayers, PlayersLinked, PlayersUnlinked, UnlinkPlayers
from croupier.house.live.payment_walk import (
    AmendSeal,
    ChipPayment,
    CollectLosers,
    DollyPlaced,
    LateBetReturned,
    LosersCollected,
    OwedSettled,
    PaySegment,
    PlaceDolly,
    ReturnLate,
    SegmentPaid,
    SettleOwed,
)
from croupier.house.live.seats_and_colours import (
    AcknowledgeNotice,
    AllocateColour,
    ApproveSecondColour,
    BuyChips,
    ChipsBought,
    ColourAllocated,
    ColourRedeemed,
    ColourReturned,
    LeaveTable,
    NoticeAcknowledged,
    PlayerLeft,
    PlayerSeated,
    RedeemColour,
    ReturnColour,
    SeatPlayer,
    SecondColourApproved,
    Tender,
)
from croupier.house.live.supervised import FinishPaying, PayingFinished, RecordWinner, WinnerRecorded
from croupier.house.play.chip_bets import (
    ChangeChips,
    ChipsChanged,
    ClearChips,
    Manner,
    MoveChips,
    PlaceChips,
    RemoveChips,
    UndoChips,
)
from croupier.house.rounds.results import ConfirmResult
from croupier.house.state.tables import BetChange
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.notation import ChipBet
from croupier.rules.payouts import ChipCount, ChipId, denomination
from croupier.rules.procedure import InfringementKind
from croupier.transcripts.actors import ActionContext, ActorRole
from croupier.transcripts.live import bets_of_chips, by_chip, chips_for, player_named, position_of
from croupier.transcripts.preamble import WriteContext

#: The commands of an action: players place several kinds of chips, and a dealer pays several segments.
Commands = tuple[AnyCommand, ...]
Build = Callable[..., AnyCommand | Commands]
Kind = type[Event] | type[Command]
Write = Callable[[Any, WriteContext], Iterable[tuple[object, ...]]]
#: An actor's action: its words, its commands, and the events that are written as it.
LiveRow = tuple[ActorRole, str, Build, Mapping[Kind, Write]]

PLAYER, STAFF = ActorRole.PLAYER, ActorRole.STAFF


#: What a player does, and a dealer records.
_PLAYERS: Final = (ChipsBought, ChipsReleased, ColourRedeemed, PlayerLeft)


def of_player(event: Event) -> bool:
    """Return whether a transcript has an event as an action of the player."""
    if isinstance(event, ChipsChanged):
        return event.manner is not Manner.ASSISTED
    return isinstance(event, _PLAYERS)


# Builders of commands


def _own(at: ActionContext) -> PositionId:
    return position_of(at.floor.house, at.actor.name, at.table)


def _of(at: ActionContext, number: int) -> PositionId:
    return position_of(at.floor.house, player_named(number), at.table)


def _place(at: ActionContext, position: PositionId, bets: Iterable[ChipBet], *manner: object) -> Commands:
    """Place one kind of chip after the other; kinds that share a place are one bet, and placed together."""
    grouped = by_chip(bets, at.here.settings.live)
    places = [on for each in grouped.values() for on in {on for on, _ in each}]
    one, *more = (PlaceChips(at.table, position, each, chip, *manner) for chip, each in grouped.items())  # type: ignore[arg-type]
    if len({*places}) == len(places):
        return one, *more
    beside = tuple((SpotKey(on), each.chip, pieces) for each in more for on, pieces in each.bets)
    return (replace(one, beside=beside),)


def _player(command: Callable[..., AnyCommand]) -> Build:
    """A command of the player who acts; the placeholders are its other fields."""
    return lambda at, *values: command(at.table, _own(at), *values)


def _for_player(command: Callable[..., AnyCommand], *, words: bool = False) -> Build:
    """A command about the player of the last placeholder; the others are its further fields."""
    return lambda at, *values: command(at.table, _of(at, values[-1]), *values[:-1], *((at.words,) if words else ()))


def _at_table(command: Callable[..., AnyCommand]) -> Build:
    return lambda at, *values: command(at.table, *values)


def _of_round(command: Callable[..., AnyCommand]) -> Build:
    """A command about the chips of the last round."""
    return lambda at, *values: command(at.table, at.here.rounds, *values)


def _buy(tender: Tender) -> Build:
    return lambda at, amount, colour=None: BuyChips(at.table, _own(at), tender, amount, colour)


def _float(command: Callable[..., AnyCommand]) -> Build:
    """A movement of the float by a slip: the action in words is the number of the slip."""

    def build(at: ActionContext, amount: Cents) -> AnyCommand:
        settings = at.here.settings.live
        return command(at.table, () if settings is None else chips_for(amount, settings), at.words)

    return build


def _count(at: ActionContext, amount: Cents) -> AnyCommand:
    settings = at.here.settings.live
    return CountFloat(at.table, () if settings is None else chips_for(amount, settings))


def _amend(at: ActionContext, bets: Iterable[ChipBet], number: int) -> AnyCommand:
    grouped = by_chip(bets, at.here.settings.live)
    pieces = tuple((SpotKey(on), chip, count) for chip, each in grouped.items() for on, count in each)
    return AmendSeal(at.table, _of(at, number), pieces, at.words, at.words)


def _late(at: ActionContext, bets: Iterable[ChipBet], number: int) -> Commands:
    grouped = by_chip(bets, at.here.settings.live)
    return tuple(ReturnLate(at.table, _of(at, number), each, chip) for chip, each in grouped.items())


def _record(at: ActionContext, bets: Iterable[ChipBet], number: int) -> Commands:
    grouped = by_chip(bets, at.here.settings.live)
    here = (at.table, _of(at, number), at.here.rounds)
    return tuple(RecordWinner(*here, each, chip) for chip, each in grouped.items())


def _pay_all(at: ActionContext) -> Commands:
    """Pay every segment that is open, in the order of the plan; without any, the bets inside, which is refused."""
    walk = None if at.here.round is None else at.here.round.walk
    segments = dict.fromkeys(item.segment for item in walk.items if not item.made) if walk is not None else {}
    return tuple(PaySegment(at.table, at.here.rounds, segment) for segment in segments or {"inside": None})


def _pay_to(at: ActionContext, segment: str, number: int, handed: tuple[ChipCount, ...] = ()) -> AnyCommand:
    chips = tuple((str(chip), count) for chip, count in handed)
    return PaySegment(at.table, at.here.rounds, segment, _of(at, number), chips)


def _link(at: ActionContext, *numbers: int) -> AnyCommand:
    return LinkPlayers(at.table, tuple(_of(at, number) for number in numbers))


def _notice(at: ActionContext) -> AnyCommand:
    digest = "" if at.here.live is None else notice_digest(at.floor.house, at.here)
    return AcknowledgeNotice(at.table, digest)


def _note(kind: InfringementKind) -> Build:
    return lambda at, number: NoteInfringement(at.table, _of(at, number), kind)


# Writers of actions


def _once(_event: object, _at: WriteContext) -> Iterable[tuple[object, ...]]:
    return ((),)


def _fields(*names: str) -> Write:
    return lambda event, _: (tuple(getattr(event, name) for name in names),)


def _player_last(*names: str) -> Write:
    """The last placeholder is the player, the others are fields of the event."""
    return lambda event, at: ((*(getattr(event, name) for name in names), at.player(event.position)),)


def _added(manner: Manner) -> Write:
    """The pieces that a change has added."""

    def write(event: ChipsChanged, at: WriteContext) -> Iterable[tuple[object, ...]]:
        before = at.pieces
        more = [(spot, chip, count - before.get(spot, {}).get(chip, 0)) for spot, chip, count in event.pieces]
        fits = event.how is BetChange.PLACE and event.manner is manner and all(count >= 0 for *_, count in more)
        bets = bets_of_chips(more)
        if not fits or not bets:
            return ()
        return ((bets,),) if manner is not Manner.ASSISTED else ((bets, at.player(event.position)),)

    return write


def _how(how: BetChange, values: Callable[[ChipsChanged], Iterable[tuple[object, ...]]]) -> Write:
    return lambda event, _: values(event) if event.how is how else ()


def _moved(event: ChipsChanged) -> Iterable[tuple[object, ...]]:
    source, target = event.spots
    return ((source, target),)


def _set_to(*, colour: bool) -> Write:
    """The pieces that lie on a spot after its change: of one chip, as several cannot be written at once."""

    def write(event: ChipsChanged, at: WriteContext) -> Iterable[tuple[object, ...]]:
        if event.how is not BetChange.CHANGE:
            return ()
        (spot,) = event.spots
        after = {chip: count for _, chip, count in event.pieces}
        before = at.pieces.get(spot, {})
        for chip in {**before, **after}:
            value = denomination(ChipId(chip))
            if after.get(chip, 0) != before.get(chip, 0) and (value is None) is colour:
                return ((spot, after.get(chip, 0), chip if value is None else value),)
        return ()

    return write


def _late_bets(event: LateBetReturned, at: WriteContext) -> Iterable[tuple[object, ...]]:
    bets = bets_of_chips((SpotKey(on), event.chip, count) for on, count in event.bets)
    return ((bets, at.player(event.position)),)


def _amended(command: AmendSeal, at: WriteContext) -> Iterable[tuple[object, ...]]:
    bets = bets_of_chips(command.pieces)
    return ((bets, at.player(command.position)),) if len(bets) == len(command.pieces) else ()


def _bought(*, tender: Tender, colour: bool) -> Write:
    def write(event: ChipsBought, _at: WriteContext) -> Iterable[tuple[object, ...]]:
        if event.tender is not tender or (event.colour is not None) is not colour:
            return ()
        return ((event.amount, event.colour),) if colour else ((event.amount,),)

    return write


def _for_debt(*, colour: bool) -> Write:
    """The chips that were taken for a debt: of a colour, or of a value."""

    def write(event: OwedSettled, at: WriteContext) -> Iterable[tuple[object, ...]]:
        value = denomination(ChipId(event.chip))
        fits = (value is None) is colour
        return ((event.pieces, event.chip if value is None else value, at.player(event.position)),) if fits else ()

    return write


def _linked(event: PlayersLinked, at: WriteContext) -> Iterable[tuple[object, ...]]:
    first, second, *more = (at.player(each) for each in event.positions)
    return () if more else ((first, second),)


def _infringed(kind: InfringementKind) -> Write:
    return lambda event, at: ((at.player(event.position),),) if event.kind is kind else ()


def _dolly(*, with_number: bool) -> Write:
    """Write the dolly with the number that it confirms, or by itself if the number counted before."""

    def write(event: DollyPlaced, at: WriteContext) -> Iterable[tuple[object, ...]]:
        assert at.round is not None
        written = (event.pocket, event.pocket) if with_number else (event.pocket,)
        return (written,) if with_number is (at.round.pocket is None) else ()

    return write


def _moves_float(command: Any, _at: WriteContext) -> Iterable[tuple[object, ...]]:  # noqa: ANN401 - one of three commands
    return ((Cents(sum(value * pieces for value, pieces in command.chips)),),)


def _paid(event: SegmentPaid, at: WriteContext) -> Iterable[tuple[object, ...]]:
    """A segment that was paid to one player, with the chips that were handed over."""

    def written(payment: ChipPayment) -> tuple[object, ...]:
        player = at.player(payment.position)
        if event.segment == CORRECTION:
            at.must_be_open("payable", player_named(player))
        return event.segment, player, tuple(ChipCount(ChipId(chip), count) for chip, count in payment.chips)

    return tuple(map(written, event.payments))


def _confirm(at: ActionContext, pocket: Pocket, dolly: Pocket) -> AnyCommand:
    return ConfirmResult(at.table, pocket, dolly)


# fmt: off
LIVE_ROWS: Final[tuple[LiveRow, ...]] = (
    (PLAYER, "CHIPS", lambda at, bets: _place(at, _own(at), bets), {ChipsChanged: _added(Manner.PLACED)}),
    (PLAYER, "says CHIPS without chips", lambda at, bets: _place(at, _own(at), bets, Manner.VERBAL, False), {}),  # noqa: FBT003
    (PLAYER, "says CHIPS", lambda at, bets: _place(at, _own(at), bets, Manner.VERBAL),
     {ChipsChanged: _added(Manner.VERBAL)}),
    (PLAYER, "removes PLACE", lambda at, spot: RemoveChips(at.table, _own(at), (spot,)),
     {ChipsChanged: _how(BetChange.REMOVE, lambda event: [(spot,) for spot in event.spots])}),
    (PLAYER, "moves PLACE to PLACE", _player(MoveChips),
     {ChipsChanged: _how(BetChange.MOVE, _moved)}),
    (PLAYER, "changes PLACE to TIMES COLOUR",
     lambda at, spot, pieces, colour: ChangeChips(at.table, _own(at), spot, colour, pieces),
     {ChipsChanged: _set_to(colour=True)}),
    (PLAYER, "changes PLACE to TIMES x AMOUNT",
     lambda at, spot, pieces, value: ChangeChips(at.table, _own(at), spot, f"v{value}", pieces),
     {ChipsChanged: _set_to(colour=False)}),
    (PLAYER, "undo", _player(UndoChips), {ChipsChanged: _how(BetChange.UNDO, lambda _: ((),))}),
    (PLAYER, "clear", _player(ClearChips), {ChipsChanged: _how(BetChange.CLEAR, lambda _: ((),))}),
    (PLAYER, "buys AMOUNT in COLOUR", _buy(Tender.CASH),
     {ChipsBought: _bought(tender=Tender.CASH, colour=True)}),
    (PLAYER, "buys AMOUNT", _buy(Tender.CASH), {ChipsBought: _bought(tender=Tender.CASH, colour=False)}),
    (PLAYER, "exchanges AMOUNT for COLOUR", _buy(Tender.VALUE_CHIPS),
     {ChipsBought: _bought(tender=Tender.VALUE_CHIPS, colour=True)}),
    (PLAYER, "redeems TIMES COLOUR", lambda at, pieces, colour: RedeemColour(at.table, _own(at), colour, pieces),
     {ColourRedeemed: _fields("pieces", "colour")}),
    (PLAYER, "leaves", _player(LeaveTable), {PlayerLeft: _once}),
    (PLAYER, "gives up", _player(ReleaseChips), {ChipsReleased: _once}),
    (STAFF, "seats player N", lambda at, number: SeatPlayer(at.table, player_named(number)),
     {PlayerSeated: lambda event, at: ((at.player(event.position),),)}),
    (STAFF, "allocates COLOUR to player N",
     lambda at, colour, number: AllocateColour(at.table, _of(at, number), colour), {}),
    (STAFF, "allocates COLOUR to player N at AMOUNT",
     lambda at, colour, number, value: AllocateColour(at.table, _of(at, number), colour, value),
     {ColourAllocated: lambda event, at: ((event.colour, at.player(event.position), event.value),)}),
    (STAFF, "approves second colour for player N", _for_player(ApproveSecondColour, words=True),
     {SecondColourApproved: _player_last()}),
    (STAFF, "takes COLOUR back, TIMES in the rack", _at_table(ReturnColour),
     {ColourReturned: _fields("colour", "counted"), ReturnColour: _fields("colour", "counted")}),
    (STAFF, "places CHIPS for player N",
     lambda at, bets, number: _place(at, _of(at, number), bets, Manner.ASSISTED),
     {ChipsChanged: _added(Manner.ASSISTED)}),
    (STAFF, "returns late CHIPS to player N", _late, {LateBetReturned: _late_bets}),
    (STAFF, "amends CHIPS for player N", _amend, {AmendSeal: _amended}),
    (STAFF, "confirms POCKET dolly POCKET", _confirm, {DollyPlaced: _dolly(with_number=True)}),
    (STAFF, "places dolly POCKET", lambda at, pocket: PlaceDolly(at.table, at.here.rounds, pocket),
     {DollyPlaced: _dolly(with_number=False)}),
    (STAFF, "collects losers", _of_round(CollectLosers), {LosersCollected: _once}),
    (STAFF, "pays all", _pay_all, {}),
    (STAFF, "pays SEGMENT", _of_round(PaySegment), {}),
    (STAFF, "pays SEGMENT to player N", _pay_to, {}),
    (STAFF, "pays SEGMENT to player N in PIECES", _pay_to, {SegmentPaid: _paid}),
    (STAFF, "records CHIPS for player N", _record, {WinnerRecorded: _late_bets}),
    (STAFF, "finishes paying", _of_round(FinishPaying), {PayingFinished: _once}),
    (STAFF, "takes TIMES COLOUR of player N for a debt",
     lambda at, pieces, colour, number: SettleOwed(at.table, _of(at, number), colour, pieces),
     {OwedSettled: _for_debt(colour=True)}),
    (STAFF, "takes TIMES x AMOUNT of player N for a debt",
     lambda at, pieces, value, number: SettleOwed(at.table, _of(at, number), f"v{value}", pieces),
     {OwedSettled: _for_debt(colour=False)}),
    (STAFF, "links player N and N", _link, {PlayersLinked: _linked}),
    (STAFF, "unlinks group N", _at_table(UnlinkPlayers),
     {PlayersUnlinked: lambda event, at: ((at.nth("group", event.group),),)}),
    (STAFF, "designates player N", lambda at, number: DesignateMarkers(at.table, _of(at, number), on=True),
     {MarkersDesignated: lambda event, at: ((at.player(event.position),),) if event.on else ()}),
    (STAFF, "outside touched by player N", _note(InfringementKind.TOUCHED_OUTSIDE),
     {InfringementNoted: _infringed(InfringementKind.TOUCHED_OUTSIDE)}),
    (STAFF, "touched by player N", _note(InfringementKind.TOUCHED),
     {InfringementNoted: _infringed(InfringementKind.TOUCHED)}),
    (STAFF, "device of player N", _note(InfringementKind.DEVICE),
     {InfringementNoted: _infringed(InfringementKind.DEVICE)}),
    (STAFF, "side bet of player N", _note(InfringementKind.SIDE_BET),
     {InfringementNoted: _infringed(InfringementKind.SIDE_BET)}),
    (STAFF, "bars player N", _for_player(BarPlayer, words=True), {PlayerBarred: _player_last()}),
    (STAFF, "admits player N", _for_player(AdmitPlayer), {PlayerAdmitted: _player_last()}),
    (STAFF, "adjusts player N by SIGNED",
     lambda at, number, amount: AdjustChips(at.table, _of(at, number), amount, at.words),
     {AdjustChips: lambda command, at: ((at.player(command.position), command.amount),)}),
    (STAFF, "acknowledges notice", _notice, {NoticeAcknowledged: _once}),
    (STAFF, "opens float AMOUNT", _float(OpenFloat), {OpenFloat: _moves_float}),
    (STAFF, "fills float AMOUNT", _float(FillFloat), {FillFloat: _moves_float}),
    (STAFF, "credits float AMOUNT", _float(CreditFloat), {CreditFloat: _moves_float}),
    (STAFF, "counts float AMOUNT", _count, {FloatCounted: _fields("counted")}),
    (STAFF, "closes float", _at_table(CloseFloat), {CloseFloat: _once}),
    (STAFF, "collects drop AMOUNT", _at_table(CollectDrop), {CollectDrop: _fields("counted")}),
)
# fmt: on
