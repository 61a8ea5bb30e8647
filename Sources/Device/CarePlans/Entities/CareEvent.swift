import Foundation

/// An event of a task: one occurrence of the schedule of a task version.
public struct CareEvent: Sendable, Hashable {
    /// The identity of an event.
    public struct Key: Sendable, Hashable {
        /// The task version (`taskUUID`).
        public let task: UUID
        /// The index of the occurrence in the schedule of the task version (`taskOccurrenceIndex`), from 0.
        public let occurrence: Int

        /// Creates the identity of an event.
        public init(task: UUID, occurrence: Int) {
            self.task = task
            self.occurrence = occurrence
        }
    }

    /// The identity.
    public let key: Key
}
