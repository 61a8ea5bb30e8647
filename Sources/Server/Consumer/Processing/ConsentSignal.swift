import FHIR
import Foundation

/// Whether something that a device sent may say that its participant takes part no more. Pure.
///
/// It errs to the safe side: what is not understood counts as a "no" until somebody has looked.
enum ConsentSignal {
    /// Whether a resource is a Consent that is not in force, or that denies.
    static func maySayNoMore(_ resource: Resource) -> Bool {
        guard resource.resourceType == Consent.resourceType else { return false }
        let consent = Consent(resource.object)
        return consent.status != .active || consent.provision?.type == .deny
    }

    /// Whether bytes that cannot be read say of themselves that they are a Consent: the member `resourceType` with that
    /// value, whatever stands around it.
    static func isMarked(_ bytes: Data) -> Bool {
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
