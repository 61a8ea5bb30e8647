import Core
import Foundation

/// One queued submission, as described by the name of its file.
public struct OutboxEntry: Sendable, Hashable, Comparable {
    /// The kind of resource that must be accepted before all others are sent.
    public static let contractKind = "Contract"

    /// The number in the device's order, from 1; the same as the envelope's `seq`.
    public let sequence: Int64
    /// The kind of resource, such as `Observation`; only letters.
    public let kind: String
    /// The submission's id, a UUID in lower case; the same as the envelope's `sid`.
    public let submissionID: String

    init(sequence: Int64, kind: String, submissionID: String) {
        self.sequence = sequence
        self.kind = kind
        self.submissionID = submissionID
    }

    /// Reads a file name. `nil` for any other name: such files do not belong to the outbox.
    public init?(name: String) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, parts[0].utf8.count == 20, parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let sequence = Int64(parts[0]), sequence >= 1, Self.isKind(parts[1]), Self.isCanonicalUUID(parts[2]),
            parts[3] == "sealed"
        else { return nil }
        self.init(sequence: sequence, kind: parts[1], submissionID: parts[2])
    }

    /// The file's name: `00000000000000000012.Contract.<sid>.sealed`.
    public var name: String {
        let digits = String(sequence)
        return String(repeating: "0", count: max(0, 20 - digits.count)) + digits + ".\(kind).\(submissionID).sealed"
    }

    /// Whether this is a signed Contract.
    public var isContract: Bool { kind == Self.contractKind }

    public static func < (left: OutboxEntry, right: OutboxEntry) -> Bool {
        // Names are composed only for the rare entries with equal numbers, because long lists are sorted often.
        left.sequence == right.sequence ? left.name < right.name : left.sequence < right.sequence
    }

    static func isKind(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
    }

    /// Returns whether the text is a UUID in lower case. Queues are listed often, so only bytes are compared.
    private static func isCanonicalUUID(_ text: String) -> Bool {
        text.utf8.count == 36
            && text.utf8.enumerated().allSatisfy { index, byte in
                switch index {
                case 8, 13, 18, 23: byte == 0x2D
                default: (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
                }
            }
    }

    /// Returns a UUID in lower case; `nil` if the text is not a UUID.
    static func canonical(_ submissionID: String) -> String? {
        guard submissionID.utf8.count == 36, let uuid = UUID(text: submissionID) else { return nil }
        return uuid.lowercaseText
    }
}
