import Storage

/// Whether a consumer runs alone or concurrently with others.
package enum ConsumerConcurrency: Sendable {
    /// Only one at a time, under a lock; the closure returns nil while another process holds it.
    case alone(@Sendable () throws -> StoreLock?)
    /// Concurrently with others on this and other machines.
    case concurrent
}
