"""Bets: what a player's command makes of the chips, and all that stands against it."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from croupier.house.command import play
from croupier.house.command.base import AtGame
from croupier.house.event.play import BetsChanged
from croupier.house.stamp import Stamp
from croupier.rehearsal.auditor.deed import Told
from croupier.rehearsal.auditor.felt import Felt, Stakes
from croupier.rehearsal.auditor.game import Table
from croupier.rehearsal.auditor.model import Model
from croupier.rehearsal.auditor.seat import Game, Seat
from croupier.rules.refusal import Code
from croupier.rules.spot import Kind, SpotKey

#: What may be said of something that is no bet here.
NO_BET: Final = {
    Code.MALFORMED,
    Code.UNKNOWN_SPOT,
    Code.CALL_NOT_OFFERED,
    Code.CALL_ARGUMENT,
    Code.NEIGHBOURS_REACH,
    Code.KIND_NOT_PRICED,
    Code.SPOT_NOT_ON_LAYOUT,
}
#: The commands whose effect is worked out here; other commands about a game are held to the betting period alone.
DERIVED: Final = (
    play.PlaceBets,
    play.ChangeBet,
    play.RemoveBets,
    play.MoveBet,
    play.UndoBet,
    play.ClearBets,
    play.RepeatBets,
    play.DoubleBets,
)
_AT_ANY_TIME: Final = (play.SavePattern, play.CancelRecall)
#: How many changes of one round can be taken back.
UNDO_MOST: Final = 500
#: Amounts are written with up to twelve figures before the point: of more, either thing may be said.
_UNWRITTEN: Final = 10**14


@dataclass(slots=True)
class Wish:
    """What a command wants to lie on the spots it touches, or what keeps it from being read."""

    stakes: Stakes = field(default_factory=dict)
    codes: set[Code] = field(default_factory=set)
    #: Whether limits, credit and risk are asked.
    adds: bool = True


def untimely(model: Model, command: AtGame, stamp: Stamp) -> set[Code]:
    """Say why no chip may move at this seat in this round now."""
    table, seat = model.tables[command.table], model.seats[command.terminal]
    takes_back = isinstance(command, play.RemoveBets | play.ClearBets)
    codes = _out_of_service(seat, takes_back=takes_back)
    if codes or isinstance(command, _AT_ANY_TIME):
        return codes
    round_ = table.round
    if round_ is None or round_.over:
        return {Code.BETS_NOT_OPEN}
    if (command.round, command.spin) != (round_.number, round_.spin):
        return {Code.WRONG_ROUND}
    if round_.phase == "suspended":
        return {Code.ROUND_SUSPENDED}
    late = round_.closes_at is not None and stamp.now > round_.closes_at
    return {Code.BETS_CLOSED} if late or round_.betting == "closed" else set()


def _out_of_service(seat: Seat, *, takes_back: bool) -> set[Code]:
    """Name what keeps a seat from betting; a closed seat or a held win keeps nobody from taking chips back."""
    if takes_back and seat.closed:
        return set()
    codes = {Code.TERMINAL_CLOSED} if seat.closed else set()
    codes |= {Code.TERMINAL_BLOCKED} if seat.case is not None else set()
    codes |= {Code.TERMINAL_DARK} if seat.dark else set()
    return codes | ({Code.WIN_HELD} if seat.holds and not takes_back else set())


def objections(model: Model, command: AtGame, stamp: Stamp) -> set[Code]:
    """Say all that stands against a player's command."""
    codes = untimely(model, command, stamp)
    if codes or not isinstance(command, DERIVED):
        return codes
    table, seat = model.tables[command.table], model.seats[command.terminal]
    wish = wish_of(command, table.felt, seat)
    if wish.codes:
        return wish.codes
    if wish.adds:
        return _beyond(table, seat, wish.stakes)
    return _short(seat, _cost(seat.games[table.name], wish.stakes))


def wish_of(command: AtGame, felt: Felt, seat: Seat) -> Wish:
    """Read what a command wants."""
    match command:
        case play.PlaceBets():
            return _placed(command, felt, seat)
        case play.ChangeBet():
            return _changed(command, felt, seat)
        case play.MoveBet():
            return _moved(command, felt, seat.games[command.table])
        case _:
            stakes = _pressed(command, seat.games[command.table])
            return _wish(stakes, adds=isinstance(command, play.DoubleBets | play.RepeatBets))


def _pressed(command: AtGame, game: Game) -> Stakes:
    """Read a button that goes by what lies there, lay there before, or lay there in the last round."""
    match command:
        case play.RemoveBets():
            gone = dict.fromkeys(command.spots, 0)
            return gone if gone.keys() <= game.stakes.keys() else {}
        case play.ClearBets():
            return dict.fromkeys(game.stakes, 0)
        case play.UndoBet():
            return game.undo[-1] if game.undo else {}
        case play.DoubleBets():
            return {spot: 2 * stake for spot, stake in game.stakes.items()}
        case _:
            return {spot: stake for spot, stake in game.previous.items() if stake > game.stakes.get(spot, 0)}


def _wish(stakes: Stakes, *, adds: bool = True) -> Wish:
    return Wish(stakes, set() if stakes else {Code.NOTHING_THERE}, adds)


def _placed(command: play.PlaceBets, felt: Felt, seat: Seat) -> Wish:
    game, codes, added = seat.games[command.table], set[Code](), Counter[SpotKey]()
    for on, amount in command.bets:
        pieces = felt.pieces(on, seat.calls)
        codes |= NO_BET if pieces is None else _amount(amount, seat)
        for spot, count in (pieces or {}).items():
            added[spot] += count * amount
    if codes:
        return Wish(codes=codes)
    return _wish({spot: game.stakes.get(spot, 0) + amount for spot, amount in added.items()})


def _amount(amount: int, seat: Seat) -> set[Code]:
    if amount <= 0:
        return {Code.STAKE_NOT_POSITIVE}
    if amount % seat.unit == 0:
        return set()
    return {Code.NOT_WHOLE_CREDITS, Code.MALFORMED} if amount >= _UNWRITTEN else {Code.NOT_WHOLE_CREDITS}


def _changed(command: play.ChangeBet, felt: Felt, seat: Seat) -> Wish:
    if command.spot not in felt.kinds:
        return Wish(codes=NO_BET)
    lies = seat.games[command.table].stakes.get(command.spot, 0)
    if command.stake == lies:
        return Wish(adds=False)
    if command.stake == 0:
        return Wish({command.spot: 0}, adds=False)
    return Wish({command.spot: command.stake}, _amount(command.stake, seat))


def _moved(command: play.MoveBet, felt: Felt, game: Game) -> Wish:
    if command.target not in felt.kinds:
        return Wish(codes=NO_BET)
    stake = game.stakes.get(command.source, 0)
    if stake == 0 or command.source == command.target:
        return Wish(codes={Code.NOTHING_THERE})
    return Wish({command.source: 0, command.target: game.stakes.get(command.target, 0) + stake})


def _cost(game: Game, stakes: Stakes) -> int:
    return sum(stake - game.stakes.get(spot, 0) for spot, stake in stakes.items())


def _short(seat: Seat, cost: int) -> set[Code]:
    return {Code.CREDIT_SHORT} if cost > seat.credit else set()


def _beyond(table: Table, seat: Seat, stakes: Stakes) -> set[Code]:
    """Hold stakes against the arrangement, the limits, the credits and the risk check."""
    game, felt = seat.games[table.name], table.felt
    codes, cost = set[Code](), _cost(game, stakes)
    if seat.straight_only and any(felt.kinds[spot] is not Kind.STRAIGHT for spot in stakes):
        codes.add(Code.KIND_NOT_PRICED)
    may_build_up = seat.channel.under_minimum.does == "return_at_close"
    for spot, stake in stakes.items():
        least, most = game.bounds.spots[spot]
        if 0 < stake < least and not may_build_up:
            codes.add(Code.STAKE_UNDER_MINIMUM)
        if stake > most and stake > game.stakes.get(spot, 0):
            codes.add(Code.STAKE_OVER_MAXIMUM)
    if cost > 0 and game.staked + cost > game.bounds.total[1]:
        codes.add(Code.TOTAL_OVER_MAXIMUM)
    if cost > 0 and felt.risky({**game.stakes, **stakes}, seat.unit):
        codes.add(Code.TOO_LITTLE_RISK)
    return codes | _short(seat, cost)


def carry(model: Model, command: AtGame, _stamp: Stamp) -> list[Told]:
    """Move the chips as the command wants, and say what the house must tell of it."""
    table, seat = model.tables[command.table], model.seats[command.terminal]
    stakes = wish_of(command, table.felt, seat).stakes
    if not stakes:
        return []
    game = seat.games[table.name]
    before = seat.lay(table.name, stakes)
    if isinstance(command, play.UndoBet):
        game.undo.pop()
    else:
        game.undo.append(before)
        del game.undo[:-UNDO_MOST]
    here = {"terminal": seat.name, "table": table.name, "round": command.round}
    return [Told(BetsChanged, {**here, "stakes": stakes})]


def follow(model: Model, event: BetsChanged, _stamp: Stamp) -> None:
    """Take a change of chips that is not worked out here as it is told."""
    seat = model.seats[event.terminal]
    game = seat.games[event.table]
    game.undo.append(seat.lay(event.table, dict(event.stakes)))
    del game.undo[:-UNDO_MOST]
