"""An evening: one seed, one venue, some hundred steps of everybody at once, and then calm, in which all must end."""

from random import Random
from typing import Final

from croupier.engine.archive import Archive
from croupier.engine.asked import Answer, Asked
from croupier.engine.handover import read_back
from croupier.house.fingerprint import fingerprint
from croupier.house.name import SECOND
from croupier.journal.anchor import check_anchor
from croupier.journal.page import BEGINNING
from croupier.journal.proof import signed
from croupier.journal.snapshot import MemorySnapshots
from croupier.rehearsal.auditor.finding import agree
from croupier.rehearsal.calm import bring_to_an_end
from croupier.rehearsal.cast import cashier, dealer, pit, player, saboteur, wheel
from croupier.rehearsal.client import Client
from croupier.rehearsal.clock import Time
from croupier.rehearsal.critic import Critic
from croupier.rehearsal.disk import Chance
from croupier.rehearsal.machine import Machine
from croupier.rehearsal.network import Network, Reply
from croupier.rehearsal.playbill import draw_up
from croupier.rehearsal.stage import Menu, Stage
from croupier.rehearsal.tally import Tally
from croupier.rulebooks.canonical import read_canonical

#: How many steps an evening has, at least and at most.
STEPS: Final = (250, 350)
#: How many of a thousand writes go wrong where crashes are rehearsed; and in how many of a thousand steps the power
#: goes, another machine takes over, a snapshot is kept, and the house takes what waits.
TROUBLE: Final = 12
POWER_CUTS: Final = 5
TAKEOVERS: Final = 4
SNAPSHOTS: Final = 15
STEPPED: Final = 850
#: The step by which the power goes where crashes are rehearsed and nothing has crashed before: none of these evenings
#: goes without a crash.
CRASHED_BY: Final = 200
#: In how many of a thousand steps everything stands still, and for how long.
STALLS: Final = 5
STALL: Final = 150 * SECOND
#: How many of a thousand devices connect again at once after a start, and how many letters go to one that is replaced.
CONNECTS: Final = 800
ASTRAY: Final = 400
#: What passes between two steps: mostly little, so that several things fall together.
PAUSES: Final = (0, 0, 1, 1_000, 20_000, 100_000, 500_000, SECOND, 2 * SECOND, 4 * SECOND)
#: How many act in one step.
AT_ONCE: Final = (1, 1, 2, 2, 3)
#: How often the whole state is held against the journal.
WHOLE_EVERY: Final = 100

CAST: Final[Menu] = {
    player.act: 50,
    lambda stage: stage.do_one_of(dealer.MENU): 24,
    lambda stage: stage.do_one_of(wheel.MENU): 14,
    lambda stage: stage.do_one_of(cashier.MENU): 5,
    lambda stage: stage.do_one_of(pit.MENU): 9,
    lambda stage: stage.do_one_of(saboteur.MENU): 7,
}


class Evening:
    """A whole house, played from a seed."""

    def __init__(self, seed: int, *, crash: bool, critic: type[Critic] = Critic) -> None:
        # Two evenings of one seed, with crashes and without, are two different evenings.
        self.rng = rng = Random(2 * seed + crash)  # noqa: S311 - it must be the same every time
        self.step = self._met = 0
        self._crash = crash
        self._chance = Chance(rng, 0)
        self.time = Time()
        self.network = Network(rng, self.time)
        self.bill = draw_up(rng)
        self.machine = Machine(self.time, self._chance, self._post, critic, by_calendar=self.bill.by_calendar)
        self.clients = {device: Client(device, self.network, self.time) for device in self.bill.devices()}
        self.stage = Stage(rng, self.bill, self.machine, self.network, self.time, self.clients)

    def _post(self, answer: Answer, epoch: int) -> None:
        if answer.asked.key is not None:
            self.network.send(Reply(answer, epoch))

    def play(self) -> Tally:
        """Play it to the end; whatever is not as it must be is a Finding."""
        self.perform()
        self._read_again()
        return self._tally()

    @property
    def head(self) -> str:
        """The digest of the journal that it has left so far."""
        return self.machine.disk.kept[-1].head.hex()

    def perform(self) -> None:
        """Let everybody act, until all has come to an end."""
        self._chance.per_mille = TROUBLE if self._crash else 0
        self._found()
        for _ in range(self.rng.randint(*STEPS)):
            self.step += 1
            self.time.go_by(STALL if self._happens(STALLS) else self.rng.choice(PAUSES))
            for _ in range(self.rng.choice(AT_ONCE)):
                self.stage.do_one_of(CAST)
            self._misfortune()
            self._carry_on()
        self._calm_down()
        bring_to_an_end(self.stage, self.settle_down)

    def _found(self) -> None:
        """Set the house up in one batch, as often as it takes for that to be kept."""
        while self.machine.house.mode is None:
            for asked in (*map(Asked, self.bill.founding()), *self.bill.buying_in()):
                self.machine.submit(asked)
            self.machine.step()
        self.machine.critic.review(self.machine.house)

    def _misfortune(self) -> None:
        """Now and then keep a snapshot; and where crashes are rehearsed, cut the power or start a second machine."""
        if self._happens(SNAPSHOTS):
            self.machine.take_snapshot()
        if self._crash and (self._happens(POWER_CUTS) or self._without_crash()):
            self.machine.crash()
        if self._crash and self._happens(TAKEOVERS):
            self.machine.take_over(in_the_act=self._happens(500))

    def _without_crash(self) -> bool:
        return self.step >= CRASHED_BY and not self.machine.crashes

    def _happens(self, per_mille: int) -> bool:
        return self.rng.randrange(1_000) < per_mille

    def _carry_on(self) -> None:
        """Deliver what has arrived, mostly let the house take a step, and look at everything."""
        for client in self.clients.values():
            client.ask_again()
        self._deliver()
        if self._happens(STEPPED):
            self.machine.step()
        self.machine.step_stale()
        self._greet()
        self.machine.critic.review(self.machine.house)
        if self.step % WHOLE_EVERY == 0:
            self.machine.critic.review_whole(self.machine.house)

    def _greet(self) -> None:
        """After a start most devices connect again, and learn of its epoch; the others do when they are answered."""
        epoch = self.machine.process.run.epoch
        if epoch == self._met:
            return
        self._met = epoch
        for client in self.clients.values():
            if self._happens(CONNECTS):
                client.meet(epoch)

    def _deliver(self) -> None:
        for letter in self.network.arrived():
            if isinstance(letter, Asked):
                self.machine.submit(letter, to_stale=self._happens(ASTRAY))
            elif letter.answer.asked.device in self.clients:
                self.clients[letter.answer.asked.device].hear(letter)

    def _calm_down(self) -> None:
        """From here on nothing goes wrong any more."""
        self._chance.per_mille, self.network.calm, self.machine.stale = 0, True, None
        self.machine.room = True

    def settle_down(self) -> None:
        """Let some time go by in which everything arrives."""
        self.step += 1
        self.time.go_by(SECOND)
        self._carry_on()

    def _read_again(self) -> None:
        """Read the journal from the beginning and from the last snapshot: both give the house as it is."""
        machine = self.machine
        machine.critic.answers.hold_all(machine.critic.reading)
        check_anchor(machine.disk, machine.anchor.read())
        verified = sum(1 for _ in signed(machine.disk, machine.archive.signer.verifier, BEGINNING))
        agree("I13", "checkpoints that verify", verified, len(machine.disk.signed))
        live = fingerprint(machine.house)
        for slot in (MemorySnapshots(), machine.slot):
            archive = Archive(machine.disk, machine.anchor, slot, machine.archive.signer)
            agree("I14", "the state read back", fingerprint(read_back(archive, read_canonical).house), live)

    def _tally(self) -> Tally:
        critic, disk = self.machine.critic, self.machine.disk
        return Tally(
            seeds=1,
            steps=self.step,
            commands=critic.commands,
            outcomes=critic.answers.outcomes,
            crashes=self.machine.crashes,
            epochs=disk.epoch,
            settled=critic.settled,
            void=critic.void,
            entries=critic.reading.position,
            head=self.head,
        )
