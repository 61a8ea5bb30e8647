import Foundation
import Wire

extension OpenSSLKeyOpener {
    /// Whether an envelope that cannot be opened is one for our keys: it names one of them, or none, or is C3-PRO's, whose
    /// apps name keys in words of their own. One that names only keys we do not have may be for a key that is away.
    func knowsKey(of envelope: Data) -> Bool {
        guard let header = try? EnvelopeHeader.read(from: envelope), header.format == .jwe, !header.keyIDs.isEmpty
        else { return true }
        let ours = Set(keyIDs(of: .p256) + keyIDs(of: .rsa))
        return header.keyIDs.contains { ours.contains($0) }
    }
}
