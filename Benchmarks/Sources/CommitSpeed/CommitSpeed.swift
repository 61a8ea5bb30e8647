import Foundation
import Storage

/// Commits rows one by one: each row is durable before its writer begins the next.
///
///     CommitSpeed URL CONNECTIONS ROWS together|apart
///
/// With `apart` each writer has its own connection, like processes that write to one store. With `together` all writers
/// share one database and its grouped writer, like the requests of one receiver. The table `single_commit` of the
/// queue's schema must exist. Prints one JSON object: the seconds without connecting, and the number of committed rows.
@main
struct CommitSpeed {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 5, let connections = Int(words[2]), connections > 0, let rows = Int(words[3]),
            ["together", "apart"].contains(words[4])
        else { throw Misuse() }
        let store = Store(
            at: try StoreLocation(words[1]), migrations: [], schema: .queue, permissions: (0o660, 0o2770))
        var databases: [any SQLDatabase] = []
        for _ in 0..<(words[4] == "apart" ? connections : 1) {
            let database = try await store.open()
            // Opens the writing connection and prepares the statement before the time is measured.
            try await database.write { try insert(0, in: $0) }
            databases.append(database)
        }
        let writers = databases.map { GroupedWriter(database: $0) }
        let each = rows / connections
        let begin = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<connections {
                let (database, writer) = (databases[number % databases.count], writers[number % databases.count])
                let isAlone = databases.count == connections
                group.addTask {
                    for _ in 0..<each {
                        if isAlone {
                            try await database.write { try insert(number, in: $0) }
                        } else {
                            try await writer.write { try insert(number, in: $0) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let time = (ContinuousClock.now - begin).components
        let seconds = Double(time.seconds) + Double(time.attoseconds) / 1e18
        for database in databases { try await database.close() }
        print("{\"seconds\": \(seconds), \"rows\": \(each * connections), \"before\": \(databases.count)}")
    }

    private static func insert(_ writer: Int, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            "INSERT INTO single_commit (writer, text) VALUES (?, ?)",
            [SQLValue(writer), "a row that is durable before the next"])
    }

    /// The command line's arguments are not valid.
    struct Misuse: Error {}
}
