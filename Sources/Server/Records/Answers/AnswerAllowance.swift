import Storage
import Synchronization

/// The bytes of records that one answer may have. The page, what comes with it, and all entries of a Bundle share them.
///
/// The bytes of the whole records count, also where only some elements of them are shown: they are read and parsed.
final class AnswerAllowance: Sendable {
    /// Maximum bytes of an answer, unless one resource may have more.
    static let standard = 32 << 20
    /// The bytes of an entry beside its resource.
    private static let aroundResource = 512

    /// A record that the answer has no room for.
    struct Exceeded: Error {
        /// Whether the bytes are the answer's own limit; else the budget of all answers has no more.
        let isOwnLimit: Bool
    }

    private struct State {
        var taken = 0
        var exceeded: Exceeded?
    }

    private let most: Int
    /// nil where no budget bounds the answer.
    let reservation: AnswerReservation?
    private let state = Mutex(State())

    init(bytes: Int = AnswerAllowance.standard, reservation: AnswerReservation? = nil) {
        most = bytes
        self.reservation = reservation
    }

    /// The bytes that were taken.
    var taken: Int { @inline(never) get { state.withLock { $0.taken } } }

    /// Takes the bytes of a record.
    ///
    /// - Returns: false where they are not left; then nothing more is taken from the allowance.
    @inline(never)
    func takes(_ count: Int) -> Bool {
        state.withLock { state in
            guard state.exceeded == nil else { return false }
            let taken = state.taken + count + Self.aroundResource
            guard taken <= most else {
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

    /// Takes the bytes of the record in a row, by the first bytes of its column `content`.
    ///
    /// - Throws: ``StorageError`` `storage-corrupt`.
    func takes(_ row: SQLRow) throws -> Bool {
        let stored = try row.blob("content")
        return takes(
            try ContentCodec.length(ofHead: stored.prefix(ContentCodec.headCount), storedCount: stored.count))
    }

    /// Takes the bytes of a record.
    ///
    /// - Throws: ``Exceeded``.
    func require(_ count: Int) throws {
        if !takes(count) { throw exceeded }
    }

    /// Why the last record was not taken.
    var exceeded: Exceeded { @inline(never) get { state.withLock { $0.exceeded } ?? Exceeded(isOwnLimit: true) } }

    /// Returns to what was taken before, for an answer that is made again with fewer records.
    @inline(never)
    func reset(to taken: Int) {
        state.withLock { state in
            state.taken = taken
            state.exceeded = nil
        }
    }
}
