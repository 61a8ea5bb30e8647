import Core
import Foundation

extension OutboxDirectory {
    /// Moves a refused submission aside with its reason. A stop before the end only means that it is sent once more.
    func moveAside(_ entry: OutboxEntry, because refusal: Refusal) throws(OutboxError) {
        try locked { () throws(OutboxError) in
            // 1. The reason stands before the file it explains.
            try AtomicFile.write(refusal.json.data(), to: reasonFile(of: entry), files: files)
            // 2. A refused Contract holds everything back, from before its file goes.
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

    /// Puts all refused submissions back into the queue, each in its old place, to be sent again: after the study has
    /// mended what made it refuse them. A refused Contract counts as given again until it is answered.
    ///
    /// - Returns: how many went back. Throws storage errors and `outbox-busy`; then some may have gone back, each whole,
    ///   and a second call does the rest.
    @discardableResult
    public func retryRefused() throws(OutboxError) -> Int {
        try locked { () throws(OutboxError) in
            let entries = try refusedEntries()
            guard !entries.isEmpty else { return 0 }
            // 1. The files, the oldest first. While the state still says that the Contract is refused, nothing but a
            //    Contract goes: a stop here lets no data before it.
            for entry in entries {
                try files.move(
                    refusedFolder.appendingPathComponent(entry.name), to: folder.appendingPathComponent(entry.name))
            }
            try files.syncFolder(folder)
            try files.syncFolder(refusedFolder)
            // 2. The standing, now that the Contract is durably in the queue. Its answer decides anew.
            var state = try state()
            if state.consent == .refused, entries.contains(where: \.isContract) {
                (state.consent, state.consentSequence) = (.given, nil)
                try store(state)
            }
            // 3. Reasons explain files; these have none any more.
            for entry in entries { try files.remove(reasonFile(of: entry)) }
            try files.syncFolder(refusedFolder)
            return entries.count
        }
    }

    /// Returns the reason that a submission was refused, as it stands beside it.
    public func refusal(of entry: OutboxEntry) throws(OutboxError) -> Refusal {
        guard let content = try? files.read(reasonFile(of: entry)),
            let refusal = JSON(reading: content).flatMap(Refusal.init(json:))
        else {
            throw OutboxError(.fileMissing, "No reason stands beside \(entry.name).")
        }
        return refusal
    }

    private func reasonFile(of entry: OutboxEntry) -> URL {
        refusedFolder.appendingPathComponent(entry.name).appendingPathExtension("reason.json")
    }
}

/// The reason that a submission will never be sent again.
public struct Refusal: Codable, Sendable, Hashable {
    /// The HTTP status; `nil` if the file never reached the server.
    public let status: Int?
    /// A stable code: the study's own, or `entry-unreadable`.
    public let code: String
    /// When, to the second.
    public let at: Date

    /// Makes a reason.
    public init(status: Int?, code: String, at: Date) {
        self.status = status
        self.code = code
        self.at = at
    }
}

extension Refusal {
    /// Reads what ``json`` writes; nil for anything else. Members that are not known are passed over.
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

    /// The reason as it stands in its file: members in alphabetical order, those without a value left out.
    var json: JSON {
        var object = JSONObject()
        object["at"] = .string(DateTime(at, milliseconds: false).text)
        object["code"] = .string(code)
        object["status"] = status.map { .number(JSONNumber($0)) }
        return .object(object)
    }
}
