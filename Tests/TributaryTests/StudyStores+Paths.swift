import TributaryServer

extension StudyStores {
    /// The file of the queue; empty on a server.
    var queuePath: String { queue.path ?? "" }
    /// The file of the records; empty on a server.
    var recordsPath: String { records.path ?? "" }
}
