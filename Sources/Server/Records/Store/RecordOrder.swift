import Foundation
import Storage

/// The position of a submission among all others: the one that came later says what is the present of a resource,
/// whichever of them is handled first. Of two that one key signed it is the one that was signed later, whichever came first.
public struct RecordOrder: Sendable, Hashable, Comparable {
    /// When it came, in whole milliseconds since 1970.
    public let receivedMilliseconds: Int64
    /// Its number in the queue, which tells apart what came within one millisecond.
    public let number: Int64
    /// Its place among what a device's key signed; nil where nobody signed it.
    public let signed: SignedPlace?

    /// The place of what a device signed among all that its key signed.
    public struct SignedPlace: Sendable, Hashable {
        /// The thumbprint of the key (RFC 7638).
        public let signer: String
        /// The device's number.
        public let sequence: Int64

        /// Puts a place together.
        public init(signer: String, sequence: Int64) {
            self.signer = signer
            self.sequence = sequence
        }
    }

    public init(receivedMilliseconds: Int64, number: Int64, signed: SignedPlace? = nil) {
        self.signed = signed
        self.receivedMilliseconds = receivedMilliseconds
        self.number = number
    }

    public static func < (left: RecordOrder, right: RecordOrder) -> Bool {
        if let own = left.signed, let other = right.signed, own.signer == other.signer {
            return own.sequence < other.sequence
        }
        return (left.receivedMilliseconds, left.number) < (right.receivedMilliseconds, right.number)
    }

    /// The order that the columns of a `record` hold.
    init(_ row: SQLRow) throws {
        receivedMilliseconds = try row.integer("received_ms")
        number = try row.integer("received_number")
        signed = SignedPlace(row)
    }

    /// `received_ms`, `received_number`, `signer` and `signed_sequence`.
    var columns: [SQLValue] {
        [
            SQLValue(receivedMilliseconds), SQLValue(number), SQLValue(signed?.signer), SQLValue(signed?.sequence),
        ]
    }
}

extension RecordOrder.SignedPlace {
    /// What the columns `signer` and `signed_sequence` hold; nil where nobody signed.
    init?(_ row: SQLRow) {
        guard let signer = row.textIfPresent("signer"), let sequence = row.integerIfPresent("signed_sequence") else {
            return nil
        }
        self.init(signer: signer, sequence: sequence)
    }
}
