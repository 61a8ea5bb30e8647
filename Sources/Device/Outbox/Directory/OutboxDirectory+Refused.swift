import Core
import Foundation

extension OutboxDirectory {
    /// Moves a refused submission to the refused ones with its reason. After a stop before the end, it is sent once
    /// more.
    func moveToRefused(_ entry: OutboxEntry, because refusal: Refusal) throws(OutboxError) {
        try locked { () throws(OutboxError) in
            // 1. The reason is written before its file is moved.
            try files.replace(reasonFile(of: entry), with: refusal.json.data())
            // 2. A refused Contract stops all sending, from before its file is moved.
            var state = try state()
            state.settle(entry, as: .refused)
            try store(state)
            // 3. The file.
            try files.move(
                folder.appendingPathComponent(entry.name), to: refusedFolder.appendingPathComponent(entry.name))
            try files.syncFolder(refusedFolder)
            try files.syncFolder(folder)
        }
    }

    /// Returns all refused submissions to the queue with their old numbers, to be sent again after the study has
    /// removed the cause. A refused Contract counts as given again until it is answered.
    ///
    /// - Returns: the number of submissions. Throws storage errors and `outbox-busy`; then some submissions may be in
    ///   the queue, each complete, and a second call moves the rest.
    @discardableResult
    public func retryRefused() throws(OutboxError) -> Int {
        try locked { () throws(OutboxError) in
            let entries = try refusedEntries()
            guard !entries.isEmpty else { return 0 }
            // 1. The files, the oldest first. While the state still has a refused Contract, only a Contract can be
            //    sent: after a stop here, no data precede it.
            for entry in entries {
                try files.move(
                    refusedFolder.appendingPathComponent(entry.name), to: folder.appendingPathComponent(entry.name))
            }
            try files.syncFolder(folder)
            try files.syncFolder(refusedFolder)
            // 2. The state of the consent, now that the Contract is durably queued. The answer to it decides again.
            var state = try state()
            if state.consent == .refused, entries.contains(where: \.isContract) {
                (state.consent, state.consentSequence) = (.given, nil)
                try store(state)
            }
            // 3. The reasons, which have no files any more.
            for entry in entries { try files.remove(reasonFile(of: entry)) }
            try files.syncFolder(refusedFolder)
            return entries.count
        }
    }

    /// Returns the reason that a submission was refused, from its reason file.
    public func refusal(of entry: OutboxEntry) throws(OutboxError) -> Refusal {
        guard let content = try? files.read(reasonFile(of: entry)),
            let refusal = JSON(reading: content).flatMap(Refusal.init(json:))
        else {
            throw OutboxError(.fileMissing, "The reason file of \(entry.name) is missing.")
        }
        return refusal
    }

    private func reasonFile(of entry: OutboxEntry) -> URL {
        refusedFolder.appendingPathComponent(entry.name).appendingPathExtension("reason.json")
    }
}

/// The reason that a submission is not sent again.
public struct Refusal: Codable, Sendable, Hashable {
    /// The HTTP status; `nil` if the submission never reached the server.
    public let status: Int?
    /// A stable code: the study's own, or `entry-unreadable`.
    public let code: String
    /// The time, to the second.
    public let at: Date

    /// Creates a reason.
    public init(status: Int?, code: String, at: Date) {
        self.status = status
        self.code = code
        self.at = at
    }
}

extension Refusal {
    /// Reads the output of ``json``; nil for anything else. Unknown members are ignored.
    init?(json: JSON) {
        guard let code = json["code"]?.string, let at = json["at"]?.string.flatMap({ DateTime($0) }),
            at.precision >= .second
        else { return nil }
        if let status = json["status"], !status.isNull {
            guard let status = status.integer else { return nil }
            self.init(status: status, code: code, at: at.start())
        } else {
            self.init(status: nil, code: code, at: at.start())
        }
    }

    /// The reason in the format of its file: members in alphabetical order, without members that have no value.
    var json: JSON {
        var object = JSONObject()
        object["at"] = .string(DateTime(at, milliseconds: false).text)
        object["code"] = .string(code)
        object["status"] = status.map { .number(JSONNumber($0)) }
        return .object(object)
    }
}
