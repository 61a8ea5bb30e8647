import Foundation
import Wire

extension OpenSSLKeyOpener {
    /// Returns the keys that an envelope contains if none of them is in the folder; the right key may be missing. nil
    /// if the envelope contains one of the keys or no key ids, or is C3-PRO's, whose apps use key names of their own.
    ///
    /// A name that is not a key id is arbitrary text of the sender, and is replaced by "a key without a name" if there
    /// is no other.
    package func unknownKeys(of envelope: Data) -> [String]? {
        guard let header = try? EnvelopeHeader.read(from: envelope), header.format == .jwe, !header.keyIDs.isEmpty
        else { return nil }
        let ours = Set(keyIDs(of: .p256) + keyIDs(of: .rsa))
        guard ours.isDisjoint(with: header.keyIDs) else { return nil }
        let names = header.keyIDs.filter { Data(base64URL: $0)?.count == 32 }
        return names.isEmpty ? ["a key without a name"] : names
    }
}
