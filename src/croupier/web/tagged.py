"""Tagged: the form of what comes in several kinds within a message, told apart by the field `type`."""

import msgspec


class Tagged(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, omit_defaults=True, tag_field="type"):
    """One of several kinds."""
