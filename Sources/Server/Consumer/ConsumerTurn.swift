import Storage

/// Whether a consumer works alone or beside others.
public enum ConsumerTurn: Sendable {
    /// One at a time, under a lock that is nil while another process has it.
    case alone(@Sendable () throws -> StoreLock?)
    /// Beside others on this and other machines.
    case besideOthers
}
