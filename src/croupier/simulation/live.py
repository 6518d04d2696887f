"""Live tables: dealers, players with chips, floats, and the close of the day."""

from collections import Counter
from collections.abc import Callable
from typing import Final

from croupier.house import AnyCommand
from croupier.house.declare import COMMANDS
from croupier.house.floor.service import NotifyOfficer
from croupier.house.floor.signatures import Approve
from croupier.house.floor.staff import EnrolPerson
from croupier.house.ids import DrawerId, Number, PositionId
from croupier.house.live.arrangements import (
    AdjustChips,
    AdmitPlayer,
    ArrangeVip,
    BarPlayer,
    DesignateMarkers,
    NoteInfringement,
)
from croupier.house.live.carried_chips import ReleaseChips
from croupier.house.live.floats import (
    CashChips,
    CloseFloat,
    CollectDrop,
    CountFloat,
    CreditFloat,
    FillFloat,
    OpenFloat,
    SellChips,
)
from croupier.house.live.notice import notice_digest
from croupier.house.live.partners import LinkPlayers, UnlinkPlayers
from croupier.house.live.payment_walk import AmendSeal, CollectLosers, PaySegment, PlaceDolly, ReturnLate, SettleOwed
from croupier.house.live.seats_and_colours import (
    AcknowledgeNotice,
    AllocateColour,
    ApproveSecondColour,
    BuyChips,
    LeaveTable,
    RedeemColour,
    ReturnColour,
    SeatPlayer,
    Tender,
    in_hand,
)
from croupier.house.live.supervised import FinishPaying, RecordWinner
from croupier.house.play.chip_bets import (
    ChangeChips,
    ClearChips,
    Manner,
    MoveChips,
    PlaceChips,
    RemoveChips,
    UndoChips,
    values_of,
)
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome
from croupier.house.settings import LimitBounds, LimitSettings, LiveSettings, Recording
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.live import ChipBets, ChipFunding, ChipPieces, LiveTable
from croupier.house.state.tables import BETTING_PHASES, SEALED_PHASES, Phase, Table
from croupier.rules.geometry import SpotKey
from croupier.rules.money import Cents
from croupier.rules.procedure import Duty, InfringementKind, Reason
from croupier.rules.sums import sums_of
from croupier.simulation.harness import WORDS, Harness, Menu
from croupier.simulation.invariants import check_equal, check_not
from croupier.simulation.scenarios import COLOURS, FLOAT, console_of

#: The most players with chips at a table.
PLAYERS_MOST: Final = 5
#: Which spots chips are placed on, beside any of the layout and the block.
USUAL: Final = ("17", "17", "17/20", "16/17/19/20", "red", "black", "dozen 2", "column 2", "low")
#: What the dealer enters wrongly, or not every venue has.
SELDOM: Final = ("courtesy-line", "neighbours 17", "neighbours 0", "tiers", "1/36", "00", "finale 7")
PIECES: Final = (1, 1, 1, 2, 2, 3, 4, 5, 5, 25, 60)


def _at(harness: Harness) -> tuple[Table, LiveTable]:
    """Return the live table of the run."""
    table = next(table for table in harness.house.tables.values() if table.live is not None)
    assert table.live is not None
    return table, table.live


def _settings(table: Table) -> LiveSettings:
    assert table.settings.live is not None
    return table.settings.live


def _somebody(harness: Harness, at: LiveTable) -> tuple[PositionId, ChipFunding]:
    """Choose a player; seldom one who is not there."""
    if not at.players or harness.chance(2):
        return PositionId(9_999), ChipFunding()
    return harness.any(list(at.players.items()))


def _chip(harness: Harness, table: Table, player: ChipFunding) -> str:
    """Choose a chip to bet: mostly one of the player's colour, or a value chip; seldom cash or another's colour."""
    if harness.chance(4):
        return harness.any((*COLOURS, "cash", "v1", "v"))
    if player.colours and harness.chance(75):
        return harness.any(player.colours)
    return f"v{harness.any((*_settings(table).circulating, *_settings(table).denominations[:2]))}"


def _spot(harness: Harness, table: Table) -> str:
    if harness.chance(8):
        return harness.any(SELDOM)
    if harness.chance(60):
        return harness.any(USUAL)
    return str(harness.any([*table.payouts.spots, *table.payouts.blocks]))


def _bets(harness: Harness, table: Table) -> ChipBets:
    return tuple((_spot(harness, table), harness.any(PIECES)) for _ in range(harness.any((1, 1, 2, 4))))


def join(harness: Harness) -> None:
    """Seat a player, who is mostly known by a name, and mostly buys a colour."""
    table, at = _at(harness)
    for _ in range(2 if len(at.players) < PLAYERS_MOST else 0):
        harness.by(Duty.DEAL, SeatPlayer(table.id, harness.any(("ann", "bob", "cho", ""))))
    buy(harness)


def buy(harness: Harness) -> None:
    """Sell chips to a player: of a colour, which is allocated first, or value chips."""
    table, at = _at(harness)
    position, player = _somebody(harness, at)
    tender = harness.any((Tender.CASH, Tender.CASH, Tender.VALUE_CHIPS))
    amount = Cents(harness.any((2_000, 5_000, 10_000, 10_000, 150, 0)))
    if not player.colours or harness.chance(10):
        if player.colours and harness.chance(70):
            harness.by(Duty.OFFICIATE, ApproveSecondColour(table.id, position, WORDS))
        free = [name for name, each in at.colours.items() if each.position is None]
        colour = harness.any(free) if free and harness.chance(95) else harness.any(COLOURS)
        value = harness.any((None, None, None, Cents(100), Cents(500), Cents(250), Cents(50)))
        harness.by(Duty.DEAL, AllocateColour(table.id, position, colour, value))
    own = player.colours[0] if player.colours and harness.chance(85) else None
    harness.by(Duty.DEAL, BuyChips(table.id, position, tender, amount, own))


def bet(harness: Harness) -> None:
    """Place chips, now and then by announcing them; seldom without chips."""
    table, at = _at(harness)
    if table.phase not in BETTING_PHASES and not harness.chance(5):
        return
    for _ in range(harness.any((1, 2, 3, 4))):
        position, player = _somebody(harness, at)
        chip, manner = _chip(harness, table, player), harness.any((Manner.PLACED, *Manner))
        placed = PlaceChips(table.id, position, _bets(harness, table), chip, manner, chips_down=not harness.chance(10))
        harness.by(Duty.DEAL, placed)


def change(harness: Harness) -> None:
    """Move, change, undo or withdraw chips, also before the rules permit it."""
    table, at = _at(harness)
    position, player = _somebody(harness, at)
    lies = list(player.pieces)
    spot = harness.any(lies) if lies else SpotKey(_spot(harness, table))
    chip = _chip(harness, table, player)
    command = harness.one_of(
        ChangeChips(table.id, position, spot, chip, harness.any((0, *PIECES))),
        MoveChips(table.id, position, spot, SpotKey(_spot(harness, table))),
        RemoveChips(table.id, position, (spot,)),
        RemoveChips(table.id, position, (spot,)),
        UndoChips(table.id, position),
        ClearChips(table.id, position),
    )
    harness.by(Duty.DEAL, command)


def see_late_bet(harness: Harness) -> None:
    """Return chips placed after the close, or correct the sealed layout by what lies there."""
    table, at = _at(harness)
    if table.phase not in SEALED_PHASES and not harness.chance(5):
        return
    position, player = _somebody(harness, at)
    chip = _chip(harness, table, player)
    if harness.chance(60):
        harness.by(Duty.DEAL, ReturnLate(table.id, position, _bets(harness, table), chip))
    else:
        seen = tuple((SpotKey(spot), chip, harness.any((0, count))) for spot, count in _bets(harness, table))
        signs = harness.any((Duty.DEAL, Duty.INSPECT, Duty.CORRECT))
        harness.by(signs, AmendSeal(table.id, position, seen, WORDS, harness.any((WORDS, WORDS, WORDS, ""))))


def redeem(harness: Harness) -> None:
    """Redeem chips, take a colour back, let a player leave; also in the wrong order or with a wrong count."""
    table, at = _at(harness)
    position, player = _somebody(harness, at)
    if player.carried and harness.chance(60):
        harness.by(Duty.DEAL, ReleaseChips(table.id, position))
    for name in player.colours:
        pieces = in_hand(at, name)
        harness.by(Duty.DEAL, RedeemColour(table.id, position, name, pieces or harness.any((1, 10, 50))))
        if harness.chance(50):
            harness.by(Duty.DEAL, ReturnColour(table.id, name, at.colours[name].pieces_in_set))
    if harness.chance(30):
        harness.by(Duty.DEAL, LeaveTable(table.id, position))
    if harness.chance(10):
        harness.by(Duty.DEAL, ReturnColour(table.id, harness.any(COLOURS), harness.any((0, 59, 60, 1_000))))


def acknowledge(harness: Harness, table: Table) -> None:
    """Check the notice of the next round."""
    at = table.live
    digest = notice_digest(harness.house, table)
    if at is not None and at.notice != digest:
        harness.by(Duty.INSPECT, AcknowledgeNotice(table.id, digest))


def pay(harness: Harness, table: Table) -> None:
    """Collect, pay segment by segment, and say that all is paid; now and then out of order or with other chips."""
    playing, at = table.playing, table.live
    walk = playing.walk
    if walk is None or at is None:
        return
    _place_dolly(harness, table)
    if not walk.collected:
        if harness.chance(5):
            harness.by(Duty.DEAL, PaySegment(table.id, playing.number, "inside"))
        harness.by(Duty.DEAL, CollectLosers(table.id, playing.number))
    if _settings(table).recording is Recording.SUPERVISED and not walk.finished and harness.chance(60):
        position, player = _somebody(harness, at)
        won = ((harness.any((str(playing.pocket), "red", "17/20")), harness.any((1, 2, 5))),)
        harness.by(
            Duty.DEAL,
            RecordWinner(table.id, position, playing.number, won, _chip(harness, table, player)),
        )
    # A player is handed all that is due in a segment.
    waiting: Counter[tuple[str, PositionId]] = Counter()
    for item in walk.items:
        waiting[item.segment, item.position] += 0 if item.made else item.amount
    waiting = +waiting
    for (segment, position), amount in list(waiting.items())[: harness.any((1, 3, 9))]:
        # What the float does not make, and no clause rounds, is made of chips that circulate, or a person decides.
        duty, handed = (Duty.DEAL, ()) if harness.chance(70) else harness.any(_other_chips(table, amount))
        one = position if handed or harness.chance(30) else None
        harness.by(duty, PaySegment(table.id, playing.number, segment, one, handed))
    if waiting and harness.chance(20):
        _fill(harness, table)
    if not waiting and not walk.finished:
        harness.by(Duty.DEAL, FinishPaying(table.id, playing.number))


def _other_chips(table: Table, amount: int) -> tuple[tuple[Duty, ChipPieces], ...]:
    """List chips beside those proposed: ones that circulate, and the next lower and higher amount of the smallest."""
    smallest = min(_settings(table).denominations)
    lower, higher = amount // smallest, -(-amount // smallest)
    options = ((Duty.DEAL, 100, amount // 100), (Duty.DECIDE, smallest, lower), (Duty.DECIDE, smallest, higher))
    return tuple((duty, ((f"v{value}", pieces),)) for duty, value, pieces in options)


def _place_dolly(harness: Harness, table: Table) -> None:
    """Place the dolly on the number of the last round, seldom on another."""
    walk = None if table.round is None else table.round.walk
    if walk is not None and walk.pocket is not None and walk.pocket != walk.marked:
        pocket = walk.pocket if harness.chance(90) else table.rulebook.pockets[0]
        harness.by(Duty.DEAL, PlaceDolly(table.id, table.rounds, pocket))


def _fill(harness: Harness, table: Table) -> None:
    chips = tuple((value, FLOAT) for value in _settings(table).denominations)
    command = FillFloat if table.live is not None and table.live.float_ is not None else OpenFloat
    harness.by(harness.any((Duty.DEAL, Duty.INSPECT, Duty.CASH)), command(table.id, chips, "F1"))


def pay_corrections(harness: Harness) -> None:
    """Pay what a correction has added after the payments, and take chips for what it has taken."""
    table, at = _at(harness)
    _place_dolly(harness, table)
    for position, account in (*at.players.items(), *at.left.items()):
        if account.payable:
            for duty, handed in ((Duty.DEAL, ()), harness.any(_other_chips(table, account.payable))):
                harness.by(duty, PaySegment(table.id, table.rounds, "correction", position, handed))
        if account.owed:
            chip = harness.any((f"v{min(_settings(table).denominations)}", "v100", *account.colours))
            value = values_of(at).get(chip) or int(chip[1:])
            pieces = max(1, account.owed // value - harness.any((0, 0, 1)))
            harness.by(Duty.DEAL, SettleOwed(table.id, position, chip, pieces))


def move_float(harness: Harness) -> None:
    """Fill, credit, count and close a float, collect the drop, and change chips at the desk."""
    table, at = _at(harness)
    booked = 0 if at.float_ is None else at.float_.booked
    value = _settings(table).denominations[0]
    count = tuple((value, max(0, booked // value + harness.any((0, 0, 1)))) for _ in range(1))
    cashier = harness.any(harness.scenario.staff(Duty.CASH))
    commands: tuple[tuple[Duty, AnyCommand], ...] = (
        (Duty.CASH, CreditFloat(table.id, ((value, harness.any((10, 20, 5_000))),), "C1")),
        (Duty.INSPECT, CountFloat(table.id, count)),
        (Duty.INSPECT, CountFloat(table.id, count)),
        (Duty.INSPECT, CloseFloat(table.id)),
        (Duty.CASH, CollectDrop(table.id, Cents(max(0, at.drop - harness.any((0, 0, 500)))))),
        (Duty.CASH, SellChips(DrawerId(cashier), Cents(harness.any((500, 2_000, 0))))),
        (
            Duty.CASH,
            CashChips(DrawerId(cashier), Cents(harness.any((500, 2_000, 0))), harness.any(("", "anchor"))),
        ),
    )
    if at.float_ is None or harness.chance(30):
        _fill(harness, table)
        return
    duty, command = harness.any(commands)
    if isinstance(command, SellChips | CashChips):
        harness.ask(console_of(cashier), command, cashier)
    else:
        harness.by(duty, command)


def supervise(harness: Harness) -> None:
    """Link players, name those who may use markers, note infringements, bar and admit, arrange and adjust."""
    table, at = _at(harness)
    position, _ = _somebody(harness, at)
    other, player = _somebody(harness, at)
    arranged = ArrangeVip(
        table.id,
        (position,),
        WORDS,
        straight_only=harness.chance(50),
        limits=harness.any((None, LimitSettings(LimitBounds(Cents(100), Cents(4_000))))),
        markers=harness.chance(50),
    )
    commands: tuple[tuple[Duty, AnyCommand], ...] = (
        (Duty.INSPECT, LinkPlayers(table.id, (position, other))),
        (Duty.INSPECT, UnlinkPlayers(table.id, player.group or Number(9))),
        (Duty.INSPECT, DesignateMarkers(table.id, position, harness.chance(80))),
        (Duty.DEAL, NoteInfringement(table.id, position, harness.any(list(InfringementKind)))),
        (Duty.DEAL, BarPlayer(table.id, position, WORDS)),
        (Duty.CORRECT, AdjustChips(table.id, position, harness.any((-500, 500, 1_000, 7)), WORDS)),
        (Duty.MANAGE, NotifyOfficer(table.id, WORDS)),
        (Duty.MANAGE, arranged),
    )
    harness.by(*harness.any(commands))
    for barred, each in at.players.items():
        if each.barred is not None and harness.chance(50):
            harness.by(Duty.INSPECT, AdmitPlayer(table.id, barred))


#: What two people sign at a live table.
_SIGNED: Final = ("croupier.house.live.", "croupier.house.rounds.")


def correct(harness: Harness) -> None:
    """Correct the number of a round with chips, or invalidate its outcome: while it is paid, and later."""
    table, _ = _at(harness)
    played = [each for each in (*table.past, table.round) if each is not None and each.chips is not None][-3:]
    if not played:
        return
    number, words = harness.any(played).number, WORDS
    if harness.chance(80):
        harness.by(Duty.CORRECT, CorrectResult(table.id, number, harness.pocket(), words))
    else:
        harness.by(Duty.DECIDE, InvalidateOutcome(table.id, number, Reason.FIRE, words))


def sign(harness: Harness) -> None:
    """Give the second signatures that the table waits for."""
    for proposal in harness.house.proposals.all.values():
        if type(proposal.command).__module__.startswith(_SIGNED):
            duty = harness.any(COMMANDS[type(proposal.command)].permission.duties)
            others = [person for person in harness.scenario.staff(duty) if person != proposal.person]
            if others:
                person = harness.any(others)
                harness.ask(console_of(person), Approve(proposal.number), person)


LIVE_ACTIONS: Final[Menu] = {
    join: 8,
    buy: 10,
    bet: 60,
    change: 10,
    see_late_bet: 8,
    redeem: 5,
    correct: 5,
    pay_corrections: 10,
    move_float: 6,
    supervise: 6,
    sign: 25,
}


#: How many steps of one second the close of a day may take.
CLOSED_WITHIN: Final = 150


def close_day(harness: Harness, play_on: Callable[[Harness, Table], None], go_on: Callable[[], None]) -> None:
    """End play at the live table, redeem all colours, and count and close the float; then nothing is outstanding."""
    for person, title in harness.scenario.people:
        if person not in harness.house.staff.people:
            harness.system(EnrolPerson(person, (title,)))
    for _ in range(CLOSED_WITHIN):
        if _is_closed(*_at(harness)):
            break
        _close_step(harness, play_on)
        go_on()
    table, at = _at(harness)
    check_not("I24", f"the day at {table.id} did not end: {table.phase}, {at}", when=not _is_closed(table, at))
    _reconciled(harness)


def _is_closed(table: Table, at: LiveTable) -> bool:
    return table.phase is Phase.BETWEEN and not at.players and at.float_ is None and at.drop == 0


def _is_proposed(harness: Harness, kind: type[AnyCommand]) -> bool:
    """Return whether a command waits for its second signature."""
    # One that has expired waits in vain.
    return any(type(each.command) is kind for each in harness.house.proposals.all.values()) and not harness.chance(10)


def _close_step(harness: Harness, play_on: Callable[[Harness, Table], None]) -> None:
    """Take the next step towards the close."""
    table, at = _at(harness)
    sign(harness)
    if table.phase in BETTING_PHASES:
        for position, player in at.players.items():
            if player.pieces:
                harness.by(Duty.DEAL, ClearChips(table.id, position))
    if table.phase is not Phase.BETWEEN:
        play_on(harness, table)
        return
    # A debt of less than the smallest chip stays.
    smallest = min(_settings(table).denominations)
    if at.float_ is None and (at.players or any(each.payable or each.owed >= smallest for each in at.left.values())):
        _fill(harness, table)
        return
    pay_corrections(harness)
    for position, player in at.players.items():
        _cash_out(harness, table, position, player)
    if not at.players and at.float_ is not None:
        value = _settings(table).denominations[0]
        harness.by(Duty.INSPECT, CountFloat(table.id, ((value, max(0, at.float_.booked) // value),)))
        if at.float_.counted is not None and not _is_proposed(harness, CloseFloat):
            harness.by(Duty.INSPECT, CloseFloat(table.id))
    if at.float_ is None and at.drop and not _is_proposed(harness, CollectDrop):
        harness.by(Duty.CASH, CollectDrop(table.id, Cents(at.drop)))


def _cash_out(harness: Harness, table: Table, position: PositionId, player: ChipFunding) -> None:
    """Let a player withdraw all chips, redeem them and leave."""
    at = table.live
    assert at is not None
    if player.pieces:
        harness.by(Duty.DEAL, RemoveChips(table.id, position, tuple(player.pieces)))
        return
    if player.carried:
        harness.by(Duty.DEAL, ReleaseChips(table.id, position))
        return
    for name in player.colours:
        colour, left = at.colours[name], in_hand(at, name)
        # What value chips do not make is not redeemed: these pieces go back with the colour.
        makes = sums_of(_settings(table).denominations).has
        pieces = next((each for each in range(left or 0, 0, -1) if makes(each * colour.value)), 0)
        if pieces:
            harness.by(Duty.DEAL, RedeemColour(table.id, position, name, pieces))
            if at.float_ is not None and at.float_.booked < pieces * colour.value:
                _fill(harness, table)
        elif not _is_proposed(harness, ReturnColour):
            harness.by(Duty.DEAL, ReturnColour(table.id, name, colour.pieces_in_set))
    if not player.colours:
        harness.by(Duty.DEAL, LeaveTable(table.id, position))


def _reconciled(harness: Harness) -> None:
    """Verify that no colour is out, and that the accounts of floats, colours and drop are empty."""
    table, at = _at(harness)
    house = harness.house
    for name, colour in at.colours.items():
        found = (colour.position, colour.out, colour.booked)
        check_equal("I25", f"{name} at {table.id} after the close", found, (None, 0, 0))
    for account in (LedgerAccount.FLOATS, LedgerAccount.COLOUR_CHIPS, LedgerAccount.DROP):
        check_equal("I25", f"account {account} after the close", house.ledger[account], 0)
    payable = sum(each.payable for each in at.left.values())
    check_equal("I25", "chips payable after the close", house.ledger[LedgerAccount.CHIPS_PAYABLE], payable)
