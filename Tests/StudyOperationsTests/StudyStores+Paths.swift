import StudyOperations

extension StudyStores {
    /// The path of the queue's file; empty for a server.
    var queuePath: String { queue.path ?? "" }
    /// The path of the records' file; empty for a server.
    var recordsPath: String { records.path ?? "" }
}
