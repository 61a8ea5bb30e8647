"""Who sees which records by permissions: a model in Python, written from the text of FhirBlocks' rules. It knows no server."""

RANKS = {code: rank for rank, code in enumerate("ULMNRV")}
WITHHELD = {"Consent", "Contract", "Provenance", "AuditEvent"}
# The codes that a code covers, itself excluded.
COVERED = {"ETH": {"SUD", "ETHUD", "OPIOIDUD"}, "SUD": {"ETHUD", "OPIOIDUD"}, "SPI": {"PSY", "SUD", "ETHUD", "OPIOIDUD"}}


def covers(codes, code):
    """Whether one of some codes covers a code."""
    return any(code == one or code in COVERED.get(one, ()) for one in codes)


class Record:
    def __init__(self, kind, name, patient, confidentiality="N", sensitivities=()):
        self.kind, self.name, self.patient = kind, name, patient
        self.confidentiality, self.sensitivities = confidentiality, tuple(sensitivities)


class Terms:
    """Types (None for all), access, labels, and a period without its end; times are datetimes."""

    def __init__(self, types, access, confidentiality, sensitivities, start, end):
        self.types, self.access = types, access
        self.confidentiality, self.sensitivities, self.start, self.end = confidentiality, sensitivities, start, end

    def allows(self, kind):
        return kind not in WITHHELD and (self.types is None or kind in self.types)

    def shows(self, record):
        return (self.allows(record.kind) and RANKS[record.confidentiality] <= RANKS[self.confidentiality]
                and all(covers(self.sensitivities, code) for code in record.sensitivities))

    def is_within(self, other):
        if other.types is not None and (self.types is None or not set(self.types) <= set(other.types)):
            return False
        return (RANKS[self.confidentiality] <= RANKS[other.confidentiality] and other.start <= self.start and self.end <= other.end
                and all(covers(other.sensitivities, code) for code in self.sensitivities)
                and (other.access == "write" or self.access == "read"))


class Permission:
    def __init__(self, name, grantor, grantee, patient, terms, parent=None):
        self.name, self.grantor, self.grantee, self.patient = name, grantor, grantee, patient
        self.terms, self.parent, self.is_ended = terms, parent, False

    def is_in_force(self, time):
        return (not self.is_ended and self.terms.start <= time < self.terms.end
                and (self.parent is None or self.parent.is_in_force(time)))

    def is_active(self, time):
        """Not ended, and not over; it may not have begun."""
        return not self.is_ended and time < self.terms.end


class Holder:
    """A csi: a wallet has a patient, the app of a doctor a role."""

    def __init__(self, name, device, patient=None, role=None):
        self.name, self.device, self.patient, self.role, self.is_ended = name, device, patient, role, False


class Scope:
    """A requested scope: `patient` or `user`, types (None for all), and labels."""

    def __init__(self, context, types=None, confidentiality="N", sensitivities=()):
        self.context, self.types = context, types
        self.confidentiality, self.sensitivities = confidentiality, sensitivities

    @property
    def text(self):
        labels = [f"conf/{self.confidentiality}"] if self.confidentiality != "N" else []
        return " ".join([f"{self.context}/{kind}.rs" for kind in (self.types or ["*"])] + labels
                        + [f"sens/{code}" for code in self.sensitivities])

    def allows(self, kind):
        return self.types is None or kind in self.types

    def shows(self, record):
        return (self.allows(record.kind) and RANKS[record.confidentiality] <= RANKS[self.confidentiality]
                and all(covers(self.sensitivities, code) for code in record.sensitivities))


class Token:
    """A token; it is valid for some minutes from `issued`."""

    def __init__(self, holder, permissions, scope=None, issued=None):
        self.holder, self.permissions, self.scope, self.issued = holder, permissions, scope, issued


class Model:
    def __init__(self):
        self.records, self.holders, self.permissions = [], [], []

    # What is decided

    def grantable(self, giver):
        """Whether a csi gives permissions of its own: a wallet that is bound."""
        return giver.patient is not None and not giver.is_ended

    def may_pass_on(self, giver, grantee, terms, parent, time):
        return (giver is not grantee and not giver.is_ended and not grantee.is_ended and grantee.role is not None
                and parent.grantee is giver and parent.parent is None and parent.is_in_force(time)
                and parent.terms.access == "write" and terms.is_within(parent.terms))

    def add(self, name, giver, grantee, terms, parent=None):
        patient = parent.patient if parent else giver.patient
        made = Permission(name, giver, grantee, patient, terms, parent)
        self.permissions.append(made)
        return made

    def to_end(self, caller, grantee, time, name=None):
        """The permissions that a call ends: by a wallet those about its patient, by an app those that it passed on."""
        return [one for one in self.permissions if one.grantee is grantee and one.is_active(time)
                and (name is None or one.name == name)
                and (one.grantor is caller or (caller.patient is not None and one.patient == caller.patient))]

    def end(self, permissions):
        """Ends permissions and those that were passed on from them."""
        for one in permissions:
            one.is_ended = True
            self.end([child for child in self.permissions if child.parent is one and not child.is_ended])

    def end_holder(self, holder):
        """The end of a csi. What a patient gave stays."""
        holder.is_ended = True
        self.end([one for one in self.permissions if not one.is_ended
                  and (one.grantee is holder or (one.grantor is holder and one.parent is not None))])

    # What is listed

    def received(self, holder, time):
        return {one.name for one in self.permissions if one.grantee is holder and one.is_active(time)}

    def given(self, holder, time):
        return {one.name for one in self.permissions if one.is_active(time)
                and (one.grantor is holder or (holder.patient is not None and one.patient == holder.patient))}

    # What is seen

    def in_force(self, holder, time):
        return [] if holder.is_ended else [
            one for one in self.permissions if one.grantee is holder and one.is_in_force(time)]

    def carried(self, holder, time, scope=None):
        """The permissions of a new token; empty if there is no token."""
        found = self.in_force(holder, time)
        if scope is None:
            return found
        if scope.context == "patient":
            own = [one.patient for one in self.holders if one.patient and not one.is_ended and one.device == holder.device]
            patients = set(own) or {one.patient for one in found}
            if len(patients) != 1:
                return []
            found = [one for one in found if one.patient in patients]
        kinds = {"Patient", "Observation", "Condition"}
        return [one for one in found if any(one.terms.allows(kind) and scope.allows(kind) for kind in kinds)]

    def visible(self, token, time):
        """The records that a token shows."""
        if token.holder.is_ended:
            return frozenset()
        return frozenset(
            (record.kind, record.name) for record in self.records
            if (token.scope is None or token.scope.shows(record))
            and any(one.patient == record.patient and one.is_in_force(time) and one.terms.shows(record)
                    for one in token.permissions))

    def writable(self, token, patient, kind, time):
        """Whether a token of the whole access creates a record. Its labels may exceed those of the permission."""
        return not token.holder.is_ended and any(
            one.patient == patient and one.terms.access == "write" and one.is_in_force(time) and one.terms.allows(kind)
            for one in token.permissions)

    def edges(self, after, until):
        """The times between two at which a permission begins or ends."""
        return sorted({edge for one in self.permissions for edge in (one.terms.start, one.terms.end) if after < edge <= until})
