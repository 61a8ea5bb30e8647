import FHIR
import Foundation

/// Detection of messages that may be a withdrawal. Pure.
///
/// It errs on the safe side: a message that is not understood counts as a possible withdrawal until staff have decided.
package enum ConsentSignal {
    /// Whether a resource is a Consent that is not active, or that denies.
    package static func mayBeWithdrawal(_ resource: Resource) -> Bool {
        guard resource.resourceType == Consent.resourceType else { return false }
        let consent = Consent(resource.object)
        return consent.status != .active || consent.provision?.type == .deny
    }

    /// Whether unreadable bytes declare themselves a Consent: they contain the member `resourceType` with that value,
    /// whatever the context.
    package static func isMarked(_ bytes: Data) -> Bool {
        let name = Data("\"resourceType\"".utf8)
        let value = Data("\"Consent\"".utf8)
        var rest = bytes[...]
        while let found = rest.range(of: name) {
            rest = rest[found.upperBound...]
            var after = rest.drop { Self.isSpace($0) }
            guard after.first == UInt8(ascii: ":") else { continue }
            after = after.dropFirst().drop { Self.isSpace($0) }
            if after.starts(with: value) { return true }
        }
        return false
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
}
