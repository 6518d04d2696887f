"""Staff at the wire: how people sign in at consoles, and what ends it."""

from pathlib import Path

from croupier.house.floor.incidents import IncidentKind, IncidentRaised
from croupier.house.floor.staff import AccountUnlocked
from croupier.house.ids import SECOND, PersonId
from croupier.server.auth.credentials import FAILURES_MAX
from croupier.server.auth.sessions import IDLE_S, Sessions
from croupier.server.connection import SWEEP_INTERVAL_US
from tests.support.connections import open_house, played, secret_of

ONE_ROUND = SWEEP_INTERVAL_US // SECOND
MANAGER = PersonId("manager")
WRONG = "what nobody here has chosen"


def test_code_that_is_good_once_is_for_choosing_a_secret(tmp_path: Path) -> None:
    """A one-time code signs nobody in: it lets its owner choose a secret, once, and that signs them in from then on."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            code, console = house.codes["manager"], await house.console("pit")
            console.say("sign_in", person="manager", secret=code.lower().replace("-", " "))
            assert (await console.hear("must_choose"))["person"] == "manager"
            assert await console.acked("OpenBets", table="A") == "signed_out"
            choice = {"person": "manager", "code": code}
            for bad in ("short", code):
                assert await console.refused("new_secret", **choice, secret=bad) == "malformed"
            wrong = {"person": "manager", "code": "no code", "secret": secret_of("manager")}
            assert await console.refused("new_secret", **wrong) == "sign_in_refused"
            console.say("new_secret", **choice, secret=secret_of("manager"))
            signed = await console.hear("signed_in")
            assert (signed["person"], signed["titles"], signed["idle_s"]) == ("manager", ["Shift Manager"], IDLE_S)
            assert "floor" in await console.admitted()
            assert await (await house.console("pit")).refused("sign_in", person="manager", secret=code) == (
                "sign_in_refused"
            )
            await house.signed_in("manager", "pit")

    played(scenario)


def test_third_wrong_password_throttles_one_person_on_one_device(tmp_path: Path) -> None:
    """Wrong passwords count over a restart, the answer is always the same, staff are notified, and others go on."""
    device: dict[str, str] = {}

    async def first_scenario() -> set[str]:
        async with open_house(tmp_path) as house:
            await house.signed_in("manager", "pit", house.codes["manager"])
            answers = set()
            console = await house.console("pit")
            device.update(device=console.device, key=console.key)
            for person in ("nobody", "manager", "manager"):
                console.say("sign_in", person=person, secret="not " + secret_of(person))
                answers.add(str(await console.hear("refused")))
            assert house.happened(IncidentRaised) == []
            return answers

    async def second_scenario() -> set[str]:
        async with open_house(tmp_path) as house:
            console, answers = await house.client(), set()
            console.say("hello", screen="pit", **device)
            console.device = device["device"]
            for secret in ("still not it", secret_of("manager"), "again not it"):
                console.say("sign_in", person="manager", secret=secret)
                answers.add(str(await console.hear("refused")))
            await house.rest()
            await house.signed_in("manager", "pit")
            (incident,) = house.happened(IncidentRaised)
            assert isinstance(incident, IncidentRaised)
            assert (incident.kind, incident.subject) == (IncidentKind.ACCOUNT_LOCKED, "manager")
            assert incident.facts.device == console.device
            house.venue.verifier.credential_store.unlock(MANAGER)
            console.say("sign_in", person="manager", secret=secret_of("manager"))
            await console.hear("signed_in")
            return answers

    answers = played(first_scenario) | played(second_scenario)
    assert len(answers) == 1
    assert "sign_in_refused" in answers.pop()


def test_attacker_at_one_console_keeps_nobody_from_signing_at_another(tmp_path: Path) -> None:
    """Managers whose names are tried out at one console still sign in elsewhere, and sign what takes two."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            for person in ("manager", "manager 2"):
                await house.signed_in(person, "pit", house.codes[person])
            attacker = await house.console("dealer")
            refused = [
                await attacker.refused("sign_in", person=person, secret=WRONG)
                for person in ("manager", "manager 2") * 6
            ]
            assert refused == ["sign_in_refused"] * 10 + ["too_fast"] * 2
            first, second = await house.signed_in("manager", "pit"), await house.signed_in("manager 2", "pit")
            for client, person in ((first, "manager"), (second, "manager 2")):
                client.say("step_up", secret=secret_of(person))
                await client.hear("stepped_up")
            assert await first.acked("EnrolPerson", person="anna", titles=["Dealer"]) == "done"
            (proposal,) = house.venue.run.house.proposals.all
            assert await second.acked("Approve", proposal=proposal) == "done"
            assert "anna" in house.venue.run.house.staff.people
            kinds = [each.kind for each in house.venue.run.house.incidents.all.values()]
            assert kinds == [IncidentKind.ACCOUNT_LOCKED] * 2 + [IncidentKind.SIGN_INS_GUESSED]

    played(scenario)


def test_two_colleagues_unlock_at_the_pit(tmp_path: Path) -> None:
    """Who is refused on a device after wrong passwords signs in there at once when two colleagues have signed."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            people = ("inspector", "manager", "manager 2")
            consoles = {each: await house.signed_in(each, "pit", house.codes[each]) for each in people}
            locked = await house.console("pit")
            for _ in range(FAILURES_MAX):
                await locked.refused("sign_in", person="manager", secret=WRONG)
            assert await locked.refused("sign_in", person="manager", secret=secret_of("manager")) == "sign_in_refused"
            for person in people:
                consoles[person].say("step_up", secret=secret_of(person))
                await consoles[person].hear("stepped_up")
            assert await consoles["manager"].acked("UnlockAccount", person="manager") == "same_person"
            assert await consoles["inspector"].acked("UnlockAccount", person="manager") == "done"
            (proposal,) = house.venue.run.house.proposals.all
            assert await consoles["manager"].acked("Approve", proposal=proposal) == "same_person"
            assert await consoles["manager 2"].acked("Approve", proposal=proposal) == "done"
            await house.rest()
            locked.say("sign_in", person="manager", secret=secret_of("manager"))
            await locked.hear("signed_in")
            assert house.happened(AccountUnlocked) == [AccountUnlocked(MANAGER)]

    played(scenario)


def test_unlocking_that_cannot_be_written_harms_nobody(tmp_path: Path) -> None:
    """Where the credential store cannot be written the house goes on, and the throttle stays."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            (register,) = house.venue.config.key_store.rglob("register.json")
            whole = register.read_bytes()
            register.write_bytes(b"spoilt")
            house.venue.router.device_enrolment.on_event(AccountUnlocked(MANAGER))
            await house.rest()
            register.write_bytes(whole)
            await house.signed_in("manager", "pit", house.codes["manager"])

    played(scenario)


def test_page_is_for_those_who_have_something_to_do_there(tmp_path: Path) -> None:
    """Each page lets in those whose duties it is for, and says to others for whom it is."""
    expected = {
        "dealer": {"dealer", "inspector", "manager"},
        "pit": {"inspector", "manager"},
        "cashier": {"cashier"},
        "auditor": {"manager"},
    }

    async def scenario() -> dict[str, set[str]]:
        async with open_house(tmp_path) as house:
            codes, found = house.codes, dict[str, set[str]]()
            for person in ("dealer", "inspector", "manager", "cashier"):
                console = await house.console("pit")
                console.say("new_secret", person=person, code=codes[person], secret=secret_of(person))
                await console.hear("signed_in" if person in expected["pit"] else "refused")
            for connection in expected:
                console = await house.console(connection)
                found[connection] = set()
                for person in ("dealer", "inspector", "manager", "cashier"):
                    console.say("sign_in", person=person, secret=secret_of(person))
                    said = await console.incoming.get()
                    if said["t"] == "signed_in":
                        found[connection].add(person)
                        await console.hear("snap")
                    else:
                        assert (said["t"], said["refusal"]["code"]) == ("refused", "not_authorised")
            return found

    assert played(scenario) == expected


def test_whoever_is_idle_is_signed_out(tmp_path: Path) -> None:
    """After half an hour without a command a console is signed out, and asks for nothing in anybody's name."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            console = await house.signed_in("manager", "pit", house.codes["manager"])
            await house.leap(IDLE_S - 1)
            assert await console.acked("NoteIncident", subject="A", words="all is well") == "done"
            await house.leap(IDLE_S - 1)
            house.time.at_us += 2 * SECOND
            assert await console.acked("NoteIncident", subject="A", words="too late") == "signed_out"
            assert house.venue.publisher.consoles == {}
            console.drain()
            await house.pass_s(ONE_ROUND)
            assert console.drain() == []

    played(scenario)


def test_token_goes_on_where_it_was_given(tmp_path: Path) -> None:
    """After a lost line a sign-in goes on with its token on the same device; elsewhere, or later, that is nothing."""

    async def scenario() -> str:
        async with open_house(tmp_path) as house:
            console = await house.console("pit")
            console.say("new_secret", person="manager", code=house.codes["manager"], secret=secret_of("manager"))
            token = str((await console.hear("signed_in"))["token"])
            console.transport.disconnect()
            await console.end()
            other = await house.console("pit")
            assert await other.refused("resume", token=token) == "signed_out"
            again = await house.client()
            again.say("hello", screen="pit", device=console.device, key=console.key)
            await again.hear("welcome")
            wrong = ("y" if token.startswith("x") else "x") + token[1:]
            assert await again.refused("resume", token=wrong) == "signed_out"
            again.say("resume", token=token)
            assert (await again.hear("signed_in"))["person"] == "manager"
            await again.admitted()
            assert await again.acked("NoteIncident", subject="A", words="back again") == "done"
            again.say("sign_out")
            await again.hear("signed_out")
            assert await again.refused("resume", token=token) == "signed_out"
            assert await again.acked("NoteIncident", subject="A", words="gone") == "signed_out"
            assert await again.refused("resync") == "signed_out"
            again.say("sign_out")
            await again.hear("signed_out")
            return token

    async def next_scenario(token: str) -> str:
        async with open_house(tmp_path) as house:
            await house.signed_in("manager", "pit")
            return await (await house.console("pit")).refused("resume", token=token)

    token = played(scenario)
    assert played(lambda: next_scenario(token)) == "signed_out"


def test_whoever_is_released_is_signed_out_at_once(tmp_path: Path) -> None:
    """A person without titles loses every open console at the same moment, and gets no other."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            manager = await house.signed_in("manager", "pit", house.codes["manager"])
            leaver = await house.signed_in("inspector", "pit", house.codes["inspector"])
            another = await house.signed_in("inspector", "dealer")
            assert await manager.acked("ReleasePerson", person="inspector") == "done"
            for console in (leaver, another):
                await console.hear("signed_out")
                assert await console.acked("OpenBets", table="A") == "signed_out"
            again = {"person": "inspector", "secret": secret_of("inspector")}
            assert await leaver.refused("sign_in", **again) == "not_authorised"
            assert await manager.acked("NoteIncident", subject="A", words="all is well") == "done"

    played(scenario)


def test_account_that_the_host_ends_is_signed_out_at_the_next_round(tmp_path: Path) -> None:
    """Who was released on the host, or given a new code there, is signed out at the next sweep of the connections."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            credential_verifier = house.venue.verifier
            consoles = {
                each: await house.signed_in(each, "pit", house.codes[each]) for each in ("manager", "inspector")
            }
            credential_verifier.credential_store.release_person(PersonId("inspector"))
            issued = credential_verifier.issue_code(MANAGER)
            code = getattr(issued, "code", "")
            # A code is no secret: it proves nothing where a secret is to be given again.
            assert await consoles["manager"].refused("step_up", secret=code) == "sign_in_refused"
            await house.pass_s(ONE_ROUND)
            for console in consoles.values():
                await console.hear("signed_out")

    played(scenario)


def test_acting_title_opens_a_page_for_as_long_as_it_is_held(tmp_path: Path) -> None:
    """Who acts in a position is let in and, when that ends, signed out at the next round; the token is nothing then."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            manager = await house.signed_in("manager", "pit", house.codes["manager"])
            now = house.time.at_us
            acting = {"person": "cashier", "title": "Inspector", "begins_at": now, "ends_at": now + 4 * SECOND}
            second = await house.signed_in("manager 2", "pit", house.codes["manager 2"])
            for client, person in ((manager, "manager"), (second, "manager 2")):
                client.say("step_up", secret=secret_of(person))
                await client.hear("stepped_up")
            assert await manager.acked("AppointActing", **acting) == "done"
            assert await second.acked("Approve", proposal=1) == "done"
            console = await house.console("pit")
            console.say("new_secret", person="cashier", code=house.codes["cashier"], secret=secret_of("cashier"))
            signed = await console.hear("signed_in")
            assert set(signed["titles"]) == {"Cashier", "Inspector"}
            house.time.at_us += 4 * SECOND
            assert await console.refused("resume", token=signed["token"]) == "not_authorised"
            await house.pass_s(ONE_ROUND)
            await console.hear("signed_out")

    played(scenario)


def test_second_person_at_a_console_takes_the_place_of_the_first(tmp_path: Path) -> None:
    """Whoever signs in where somebody is signed in ends that sign-in; whoever fails to leaves it as it is."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            console = await house.signed_in("manager", "pit", house.codes["manager"])
            assert await console.refused("sign_in", person="inspector", secret=WRONG) == "sign_in_refused"
            assert await console.acked("NoteIncident", subject="A", words="still here") == "done"
            code = house.codes["inspector"]
            console.say("new_secret", person="inspector", code=code, secret=secret_of("inspector"))
            assert (await console.hear("signed_in"))["person"] == "inspector"
            await console.hear("snap")
            assert await console.acked("CloseTable", table="A", words="not the inspector's to say") == "not_authorised"
            assert house.venue.router.staff_auth.sign_ins.revoke(MANAGER) == ()
            # Where no more people can be signed in, whoever had made way is signed out too.
            house.venue.router.staff_auth.sign_ins = Sessions(0)
            console.say("sign_in", person="manager", secret=secret_of("manager"))
            await console.hear("signed_out")
            assert await console.acked("NoteIncident", subject="A", words="nobody is here") == "signed_out"

    played(scenario)
