"""Devices: what each of them is there for."""

from enum import StrEnum


class DeviceKind(StrEnum):
    """What a device is there for."""

    TERMINAL = "terminal"
    DEALER = "dealer"
    PIT = "pit"
    CASHIER = "cashier"
    BOARD = "board"
    AUDITOR = "auditor"
