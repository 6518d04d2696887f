"""Vetting: the names and settings of tables and terminals that cannot be, and the clause against each."""

from collections.abc import Iterator, Sequence

from croupier.house.answer import refuse
from croupier.house.name import DeviceId
from croupier.house.settings import Mode, TableSettings, TerminalSettings
from croupier.house.stamp import SYSTEM
from croupier.house.state import House
from croupier.house.table import Table
from croupier.house.terms import misfits
from croupier.rules.matter import Matter
from croupier.rules.offer import find_profile
from croupier.rules.procedure import ChannelName
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook


def name_objections(house: House, name: str) -> Iterator[Refusal]:
    """A table's wheel and a terminal are devices too, so that one list of names serves them all."""
    if DeviceId(name) in house.devices or name == SYSTEM:
        yield refuse(Code.ALREADY_THERE, None, f"Something here goes by the name {name} already.", name=name)
    if not name.strip():
        yield refuse(Code.SETTING_IMPOSSIBLE, None, "A name must not be empty.")


#: The least that a figure of a table's settings may be.
_LEAST = {
    "betting_s": 1,
    "warning_s": 0,
    "launch_to_close_s": 1,
    "rest_s": 0,
    "pause_s": 0,
    "betting_least_s": 0,
    "games_per_hour_most": 1,
    "patience_s": 0,
    "decision_s": 0,
    "attest_s": 0,
    "history_shown": 1,
}


def settings_objections(rulebook: Rulebook, settings: TableSettings) -> Iterator[Refusal]:
    clause = rulebook.cites[Matter.SETTINGS]
    for name, least in _LEAST.items():
        figure = getattr(settings, name)
        if figure is not None and figure < least:
            says = f"{name} is {figure}, and must be {least} or more."
            yield refuse(Code.SETTING_IMPOSSIBLE, clause, says, setting=name, figure=figure)
    if misfit := misfits(settings.limits):
        yield refuse(Code.SETTING_IMPOSSIBLE, clause, misfit)


def terminal_objections(house: House, tables: Sequence[Table], settings: TerminalSettings) -> Iterator[Refusal]:
    rulebook = tables[0].rulebook
    yield from model_objections(house, rulebook, settings.profile)
    games = rulebook.terminal.games
    most, clause = (games.figure, games.clause) if games else (1, rulebook.cites[Matter.TERMINAL])
    names = {table.id for table in tables}
    if not len(tables) == len(names) <= most:
        says = f"A terminal plays at most {most} different tables here."
        yield refuse(Code.SETTING_IMPOSSIBLE, clause, says, tables=len(tables), most=most)
    if any(table.rulebook.digest != rulebook.digest for table in tables):
        yield refuse(Code.SETTING_IMPOSSIBLE, clause, "All games of a terminal are played by one rulebook.")
    if any(table.next_rulebook is not None for table in tables):
        says = "The rules of that table change with its next round: add the terminal after that."
        yield refuse(Code.SETTING_IMPOSSIBLE, rulebook.cites[Matter.SETTINGS], says)
    if misfit := _tray_misfit(settings):
        yield refuse(Code.SETTING_IMPOSSIBLE, rulebook.cites[Matter.SETTINGS], misfit)


def model_objections(house: House, rulebook: Rulebook, wanted: str | None) -> Iterator[Refusal]:
    profile = find_profile(rulebook, wanted)
    if isinstance(profile, Refusal):
        yield profile
    elif profile is not None and profile.channel is not ChannelName.TERMINAL:
        yield refuse(Code.UNKNOWN_PROFILE, profile.clause, f"{profile.label} is not a terminal.", profile=profile.id)
    if ChannelName.TERMINAL not in rulebook.channels and house.mode is not Mode.DEMO:
        says = f"{rulebook.venue} is played with chips: terminals are for demonstration alone."
        yield refuse(Code.DEMO_ONLY, rulebook.cites[Matter.TERMINAL], says)


def _tray_misfit(settings: TerminalSettings) -> str:
    if not settings.denominations:
        return "A credit must be worth something."
    if any(value < 1 for value in (*settings.denominations, *settings.chips, *settings.notes)):
        return "Every denomination, chip and note must be above nothing."
    return misfits(settings.limits) if settings.limits is not None else ""
