import Foundation
import Storage

/// The position of a submission among all others. The later submission determines the current version of a resource, in
/// whichever order they are processed. Of two submissions that one key signed, the later is the one that was signed
/// later, in whichever order they were received.
package struct RecordOrder: Sendable, Hashable, Comparable {
    /// The time of receipt, in whole milliseconds since 1970.
    package let receivedMilliseconds: Int64
    /// The submission's number in the queue, which orders submissions received within one millisecond.
    package let number: Int64
    /// Its position among the submissions that a device's key signed; nil where it is not signed.
    package let signed: SignedPosition?

    /// The position of a signed submission among all that its key signed.
    package struct SignedPosition: Sendable, Hashable {
        /// The thumbprint of the key (RFC 7638).
        package let signer: String
        /// The device's sequence number.
        package let sequence: Int64

        package init(signer: String, sequence: Int64) {
            self.signer = signer
            self.sequence = sequence
        }
    }

    package init(receivedMilliseconds: Int64, number: Int64, signed: SignedPosition? = nil) {
        self.signed = signed
        self.receivedMilliseconds = receivedMilliseconds
        self.number = number
    }

    package static func < (left: RecordOrder, right: RecordOrder) -> Bool {
        if let own = left.signed, let other = right.signed, own.signer == other.signer {
            return own.sequence < other.sequence
        }
        return (left.receivedMilliseconds, left.number) < (right.receivedMilliseconds, right.number)
    }

    /// Creates the order from the columns of a `record` row.
    package init(_ row: SQLRow) throws {
        receivedMilliseconds = try row.integer("received_ms")
        number = try row.integer("received_number")
        signed = SignedPosition(row)
    }

    /// The values of `received_ms`, `received_number`, `signer` and `signed_sequence`.
    package var columns: [SQLValue] {
        [
            SQLValue(receivedMilliseconds), SQLValue(number), SQLValue(signed?.signer), SQLValue(signed?.sequence),
        ]
    }
}

extension RecordOrder.SignedPosition {
    /// Creates the position from the columns `signer` and `signed_sequence`; nil where the submission is not signed.
    init?(_ row: SQLRow) {
        guard let signer = row.textIfPresent("signer"), let sequence = row.integerIfPresent("signed_sequence") else {
            return nil
        }
        self.init(signer: signer, sequence: sequence)
    }
}
