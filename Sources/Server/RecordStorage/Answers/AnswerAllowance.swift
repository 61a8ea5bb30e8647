import Storage
import Synchronization

/// The bytes of records that one response may contain. The page, the included resources, and all entries of a Bundle
/// share them.
///
/// The bytes of whole records are counted, even where only some elements are returned: whole records are read and
/// parsed.
package final class AnswerAllowance: Sendable {
    /// Maximum number of bytes of a response, except where one resource may be larger.
    package static let standard = 32 << 20
    /// The bytes of an entry without its resource.
    private static let aroundResource = 512

    /// The error of a record that does not fit into the response.
    package struct Exceeded: Error {
        /// Whether the response's own limit is reached; otherwise the budget of all responses is used up.
        package let isOwnLimit: Bool
    }

    private struct State {
        var taken = 0
        var exceeded: Exceeded?
    }

    private let limit: Int
    /// nil where no budget limits the response.
    package let reservation: AnswerReservation?
    private let state = Mutex(State())

    package init(bytes: Int = AnswerAllowance.standard, reservation: AnswerReservation? = nil) {
        limit = bytes
        self.reservation = reservation
    }

    /// The bytes taken so far.
    package var taken: Int { @inline(never) get { state.withLock { $0.taken } } }

    /// Takes the bytes of a record.
    ///
    /// - Returns: false where they are not left; then no more bytes can be taken from the allowance.
    @inline(never)
    package func takes(_ count: Int) -> Bool {
        state.withLock { state in
            guard state.exceeded == nil else { return false }
            let taken = state.taken + count + Self.aroundResource
            guard taken <= limit else {
                state.exceeded = Exceeded(isOwnLimit: true)
                return false
            }
            guard reservation?.grow(to: taken) ?? true else {
                state.exceeded = Exceeded(isOwnLimit: false)
                return false
            }
            state.taken = taken
            return true
        }
    }

    /// Takes the bytes of a row's record, from the first bytes of its column `content`.
    ///
    /// - Throws: ``StorageError`` `storage-corrupt`.
    package func takes(_ row: SQLRow) throws -> Bool {
        takes(try ContentCodec.length(of: row.blob("content")))
    }

    /// Takes the bytes of a record.
    ///
    /// - Throws: ``Exceeded``.
    package func require(_ count: Int) throws {
        if !takes(count) { throw exceeded }
    }

    /// The reason that the last record was not taken.
    package var exceeded: Exceeded {
        @inline(never) get { state.withLock { $0.exceeded } ?? Exceeded(isOwnLimit: true) }
    }

    /// Returns to an earlier number of bytes, for a response that is made again with fewer records.
    @inline(never)
    package func reset(to taken: Int) {
        state.withLock { state in
            state.taken = taken
            state.exceeded = nil
        }
    }
}
