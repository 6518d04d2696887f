"""Transcript actions of players with chips and of the staff at their table."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from croupier.house.base import Command, Event
from croupier.house.chip_settlement import CORRECTION
from croupier.house.commands import AnyCommand, live, liveplayers, rounds
from croupier.house.commands.live import Manner, Tender
from croupier.house.events import live as happened
from croupier.house.events import liveplayers as noted
from croupier.house.events.play import BetChange
from croupier.house.ids import PositionId
from croupier.house.notice import notice_digest
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
_PLAYERS: Final = (happened.ChipsBought, happened.ColourRedeemed, happened.PlayerLeft)


def of_player(event: Event) -> bool:
    """Return whether a transcript has an event as an action of the player."""
    if isinstance(event, happened.ChipsChanged):
        return event.manner is not Manner.ASSISTED
    return isinstance(event, _PLAYERS)


# Builders of commands


def _own(at: ActionContext) -> PositionId:
    return position_of(at.floor.house, at.actor.name, at.table)


def _of(at: ActionContext, number: int) -> PositionId:
    return position_of(at.floor.house, player_named(number), at.table)


def _place(at: ActionContext, position: PositionId, bets: Iterable[ChipBet], *manner: object) -> Commands:
    grouped = by_chip(bets, at.here.settings.live)
    return tuple(live.PlaceChips(at.table, position, each, chip, *manner) for chip, each in grouped.items())  # type: ignore[arg-type]


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
    return lambda at, amount, colour=None: live.BuyChips(at.table, _own(at), tender, amount, colour)


def _float(command: Callable[..., AnyCommand]) -> Build:
    """A movement of the float by a slip: the action in words is the number of the slip."""

    def build(at: ActionContext, amount: Cents) -> AnyCommand:
        settings = at.here.settings.live
        return command(at.table, () if settings is None else chips_for(amount, settings), at.words)

    return build


def _count(at: ActionContext, amount: Cents) -> AnyCommand:
    settings = at.here.settings.live
    return live.CountFloat(at.table, () if settings is None else chips_for(amount, settings))


def _amend(at: ActionContext, bets: Iterable[ChipBet], number: int) -> AnyCommand:
    grouped = by_chip(bets, at.here.settings.live)
    pieces = tuple((SpotKey(on), chip, count) for chip, each in grouped.items() for on, count in each)
    return live.AmendSeal(at.table, _of(at, number), pieces, at.words, at.words)


def _late(at: ActionContext, bets: Iterable[ChipBet], number: int) -> Commands:
    grouped = by_chip(bets, at.here.settings.live)
    return tuple(live.ReturnLate(at.table, _of(at, number), each, chip) for chip, each in grouped.items())


def _record(at: ActionContext, bets: Iterable[ChipBet], number: int) -> Commands:
    grouped = by_chip(bets, at.here.settings.live)
    here = (at.table, _of(at, number), at.here.rounds)
    return tuple(live.RecordWinner(*here, each, chip) for chip, each in grouped.items())


def _pay_all(at: ActionContext) -> Commands:
    """Pay every segment that is open, in the order of the plan; without any, the bets inside, which is refused."""
    round_ = at.here.round
    walk = None if round_ is None or round_.chips is None else round_.chips.walk
    segments = dict.fromkeys(item.segment for item in walk.items if not item.made) if walk is not None else {}
    return tuple(live.PaySegment(at.table, at.here.rounds, segment) for segment in segments or {"inside": None})


def _pay_to(at: ActionContext, segment: str, number: int, handed: tuple[ChipCount, ...] = ()) -> AnyCommand:
    chips = tuple((str(chip), count) for chip, count in handed)
    return live.PaySegment(at.table, at.here.rounds, segment, _of(at, number), chips)


def _link(at: ActionContext, *numbers: int) -> AnyCommand:
    return liveplayers.LinkPlayers(at.table, tuple(_of(at, number) for number in numbers))


def _notice(at: ActionContext) -> AnyCommand:
    digest = "" if at.here.live is None else notice_digest(at.floor.house, at.here)
    return live.AcknowledgeNotice(at.table, digest)


def _note(kind: InfringementKind) -> Build:
    return lambda at, number: liveplayers.NoteInfringement(at.table, _of(at, number), kind)


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

    def write(event: happened.ChipsChanged, at: WriteContext) -> Iterable[tuple[object, ...]]:
        before = at.pieces
        more = [(spot, chip, count - before.get(spot, {}).get(chip, 0)) for spot, chip, count in event.pieces]
        fits = event.how is BetChange.PLACE and event.manner is manner and all(count >= 0 for *_, count in more)
        bets = bets_of_chips(more)
        if not fits or not bets:
            return ()
        return ((bets,),) if manner is not Manner.ASSISTED else ((bets, at.player(event.position)),)

    return write


def _how(how: BetChange, values: Callable[[happened.ChipsChanged], Iterable[tuple[object, ...]]]) -> Write:
    return lambda event, _: values(event) if event.how is how else ()


def _moved(event: happened.ChipsChanged) -> Iterable[tuple[object, ...]]:
    source, target = event.spots
    return ((source, target),)


def _set_to(*, colour: bool) -> Write:
    """The pieces that lie on a spot after its change: of one chip, as several cannot be written at once."""

    def write(event: happened.ChipsChanged, at: WriteContext) -> Iterable[tuple[object, ...]]:
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


def _late_bets(event: happened.LateBetReturned, at: WriteContext) -> Iterable[tuple[object, ...]]:
    bets = bets_of_chips((SpotKey(on), event.chip, count) for on, count in event.bets)
    return ((bets, at.player(event.position)),)


def _amended(command: live.AmendSeal, at: WriteContext) -> Iterable[tuple[object, ...]]:
    bets = bets_of_chips(command.pieces)
    return ((bets, at.player(command.position)),) if len(bets) == len(command.pieces) else ()


def _bought(*, tender: Tender, colour: bool) -> Write:
    def write(event: happened.ChipsBought, _at: WriteContext) -> Iterable[tuple[object, ...]]:
        if event.tender is not tender or (event.colour is not None) is not colour:
            return ()
        return ((event.amount, event.colour),) if colour else ((event.amount,),)

    return write


def _linked(event: noted.PlayersLinked, at: WriteContext) -> Iterable[tuple[object, ...]]:
    first, second, *more = (at.player(each) for each in event.positions)
    return () if more else ((first, second),)


def _infringed(kind: InfringementKind) -> Write:
    return lambda event, at: ((at.player(event.position),),) if event.kind is kind else ()


def _dolly(*, with_number: bool) -> Write:
    """Write the dolly with the number that it confirms, or by itself if the number counted before."""

    def write(event: happened.DollyPlaced, at: WriteContext) -> Iterable[tuple[object, ...]]:
        assert at.round is not None
        written = (event.pocket, event.pocket) if with_number else (event.pocket,)
        return (written,) if with_number is (at.round.pocket is None) else ()

    return write


def _moves_float(command: Any, _at: WriteContext) -> Iterable[tuple[object, ...]]:  # noqa: ANN401 - one of three commands
    return ((Cents(sum(value * pieces for value, pieces in command.chips)),),)


def _paid(event: happened.SegmentPaid, at: WriteContext) -> Iterable[tuple[object, ...]]:
    """A segment that was paid to one player, with the chips that were handed over."""

    def written(payment: happened.ChipPayment) -> tuple[object, ...]:
        player = at.player(payment.position)
        if event.segment == CORRECTION:
            at.must_be_open("payable", player_named(player))
        return event.segment, player, tuple(ChipCount(ChipId(chip), count) for chip, count in payment.chips)

    return tuple(map(written, event.payments))


def _confirm(at: ActionContext, pocket: Pocket, dolly: Pocket) -> AnyCommand:
    return rounds.ConfirmResult(at.table, pocket, dolly)


# fmt: off
LIVE_ROWS: Final[tuple[LiveRow, ...]] = (
    (PLAYER, "CHIPS", lambda at, bets: _place(at, _own(at), bets), {happened.ChipsChanged: _added(Manner.PLACED)}),
    (PLAYER, "says CHIPS without chips", lambda at, bets: _place(at, _own(at), bets, Manner.VERBAL, False), {}),  # noqa: FBT003
    (PLAYER, "says CHIPS", lambda at, bets: _place(at, _own(at), bets, Manner.VERBAL),
     {happened.ChipsChanged: _added(Manner.VERBAL)}),
    (PLAYER, "removes PLACE", lambda at, spot: live.RemoveChips(at.table, _own(at), (spot,)),
     {happened.ChipsChanged: _how(BetChange.REMOVE, lambda event: [(spot,) for spot in event.spots])}),
    (PLAYER, "moves PLACE to PLACE", _player(live.MoveChips),
     {happened.ChipsChanged: _how(BetChange.MOVE, _moved)}),
    (PLAYER, "changes PLACE to TIMES COLOUR",
     lambda at, spot, pieces, colour: live.ChangeChips(at.table, _own(at), spot, colour, pieces),
     {happened.ChipsChanged: _set_to(colour=True)}),
    (PLAYER, "changes PLACE to TIMES x AMOUNT",
     lambda at, spot, pieces, value: live.ChangeChips(at.table, _own(at), spot, f"v{value}", pieces),
     {happened.ChipsChanged: _set_to(colour=False)}),
    (PLAYER, "undo", _player(live.UndoChips), {happened.ChipsChanged: _how(BetChange.UNDO, lambda _: ((),))}),
    (PLAYER, "clear", _player(live.ClearChips), {happened.ChipsChanged: _how(BetChange.CLEAR, lambda _: ((),))}),
    (PLAYER, "buys AMOUNT in COLOUR", _buy(Tender.CASH),
     {happened.ChipsBought: _bought(tender=Tender.CASH, colour=True)}),
    (PLAYER, "buys AMOUNT", _buy(Tender.CASH), {happened.ChipsBought: _bought(tender=Tender.CASH, colour=False)}),
    (PLAYER, "exchanges AMOUNT for COLOUR", _buy(Tender.VALUE_CHIPS),
     {happened.ChipsBought: _bought(tender=Tender.VALUE_CHIPS, colour=True)}),
    (PLAYER, "redeems TIMES COLOUR", lambda at, pieces, colour: live.RedeemColour(at.table, _own(at), colour, pieces),
     {happened.ColourRedeemed: _fields("pieces", "colour")}),
    (PLAYER, "leaves", _player(live.LeaveTable), {happened.PlayerLeft: _once}),
    (STAFF, "seats player N", lambda at, number: live.SeatPlayer(at.table, player_named(number)),
     {happened.PlayerSeated: lambda event, at: ((at.player(event.position),),)}),
    (STAFF, "allocates COLOUR to player N",
     lambda at, colour, number: live.AllocateColour(at.table, _of(at, number), colour), {}),
    (STAFF, "allocates COLOUR to player N at AMOUNT",
     lambda at, colour, number, value: live.AllocateColour(at.table, _of(at, number), colour, value),
     {happened.ColourAllocated: lambda event, at: ((event.colour, at.player(event.position), event.value),)}),
    (STAFF, "approves second colour for player N", _for_player(live.ApproveSecondColour, words=True),
     {happened.SecondColourApproved: _player_last()}),
    (STAFF, "takes COLOUR back, TIMES in the rack", _at_table(live.ReturnColour),
     {happened.ColourReturned: _fields("colour", "counted"), live.ReturnColour: _fields("colour", "counted")}),
    (STAFF, "places CHIPS for player N",
     lambda at, bets, number: _place(at, _of(at, number), bets, Manner.ASSISTED),
     {happened.ChipsChanged: _added(Manner.ASSISTED)}),
    (STAFF, "returns late CHIPS to player N", _late, {happened.LateBetReturned: _late_bets}),
    (STAFF, "amends CHIPS for player N", _amend, {live.AmendSeal: _amended}),
    (STAFF, "confirms POCKET dolly POCKET", _confirm, {happened.DollyPlaced: _dolly(with_number=True)}),
    (STAFF, "places dolly POCKET", lambda at, pocket: live.PlaceDolly(at.table, at.here.rounds, pocket),
     {happened.DollyPlaced: _dolly(with_number=False)}),
    (STAFF, "collects losers", _of_round(live.CollectLosers), {happened.LosersCollected: _once}),
    (STAFF, "pays all", _pay_all, {}),
    (STAFF, "pays SEGMENT", _of_round(live.PaySegment), {}),
    (STAFF, "pays SEGMENT to player N", _pay_to, {}),
    (STAFF, "pays SEGMENT to player N in PIECES", _pay_to, {happened.SegmentPaid: _paid}),
    (STAFF, "records CHIPS for player N", _record, {happened.WinnerRecorded: _late_bets}),
    (STAFF, "finishes paying", _of_round(live.FinishPaying), {happened.PayingFinished: _once}),
    (STAFF, "takes TIMES COLOUR of player N for a debt",
     lambda at, pieces, colour, number: live.SettleOwed(at.table, _of(at, number), colour, pieces),
     {happened.OwedSettled: _player_last("pieces", "chip")}),
    (STAFF, "links player N and N", _link, {noted.PlayersLinked: _linked}),
    (STAFF, "unlinks group N", _at_table(liveplayers.UnlinkPlayers),
     {noted.PlayersUnlinked: lambda event, at: ((at.nth("group", event.group),),)}),
    (STAFF, "designates player N", lambda at, number: liveplayers.DesignateMarkers(at.table, _of(at, number), on=True),
     {noted.MarkersDesignated: lambda event, at: ((at.player(event.position),),) if event.on else ()}),
    (STAFF, "outside touched by player N", _note(InfringementKind.TOUCHED_OUTSIDE),
     {noted.InfringementNoted: _infringed(InfringementKind.TOUCHED_OUTSIDE)}),
    (STAFF, "touched by player N", _note(InfringementKind.TOUCHED),
     {noted.InfringementNoted: _infringed(InfringementKind.TOUCHED)}),
    (STAFF, "device of player N", _note(InfringementKind.DEVICE),
     {noted.InfringementNoted: _infringed(InfringementKind.DEVICE)}),
    (STAFF, "side bet of player N", _note(InfringementKind.SIDE_BET),
     {noted.InfringementNoted: _infringed(InfringementKind.SIDE_BET)}),
    (STAFF, "bars player N", _for_player(liveplayers.BarPlayer, words=True), {noted.PlayerBarred: _player_last()}),
    (STAFF, "admits player N", _for_player(liveplayers.AdmitPlayer), {noted.PlayerAdmitted: _player_last()}),
    (STAFF, "adjusts player N by SIGNED",
     lambda at, number, amount: liveplayers.AdjustChips(at.table, _of(at, number), amount, at.words),
     {liveplayers.AdjustChips: lambda command, at: ((at.player(command.position), command.amount),)}),
    (STAFF, "acknowledges notice", _notice, {happened.NoticeAcknowledged: _once}),
    (STAFF, "opens float AMOUNT", _float(live.OpenFloat), {live.OpenFloat: _moves_float}),
    (STAFF, "fills float AMOUNT", _float(live.FillFloat), {live.FillFloat: _moves_float}),
    (STAFF, "credits float AMOUNT", _float(live.CreditFloat), {live.CreditFloat: _moves_float}),
    (STAFF, "counts float AMOUNT", _count, {happened.FloatCounted: _fields("counted")}),
    (STAFF, "closes float", _at_table(live.CloseFloat), {live.CloseFloat: _once}),
    (STAFF, "collects drop AMOUNT", _at_table(live.CollectDrop), {live.CollectDrop: _fields("counted")}),
)
# fmt: on
