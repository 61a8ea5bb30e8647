import Foundation
import Wire

extension OpenSSLKeyOpener {
    /// The keys that an envelope which cannot be opened names, none of which we have: one may be away. nil for an envelope
    /// that is for our keys: it names one of them, or none, or is C3-PRO's, whose apps name keys in words of their own.
    ///
    /// What is no key's name is the sender's text, and stands for none: "a key without a name".
    func unknownKeys(of envelope: Data) -> [String]? {
        guard let header = try? EnvelopeHeader.read(from: envelope), header.format == .jwe, !header.keyIDs.isEmpty
        else { return nil }
        let ours = Set(keyIDs(of: .p256) + keyIDs(of: .rsa))
        guard ours.isDisjoint(with: header.keyIDs) else { return nil }
        let names = header.keyIDs.filter { Data(base64URL: $0)?.count == 32 }
        return names.isEmpty ? ["a key without a name"] : names
    }
}
