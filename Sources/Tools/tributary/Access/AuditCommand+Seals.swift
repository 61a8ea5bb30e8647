import ArgumentParser
import Audit
import DeviceCommands
import FHIR
import Foundation
import Storage
import StudyFiles
import StudyOperations

extension AuditCommand {
    struct Head: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "head", abstract: "Print the head of the newest seal, to store it elsewhere.",
            discussion: """
                A head covers all rows that were sealed before. `audit verify --anchor` compares it later. With --json the
                head has its number and time, so that it can be compared after the restoration of a backup too.

                Example:
                  tributary audit head study --json > audit-head.json
                """)
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let seal = try await location.reading { try await $0.read { try AuditSeal.last(in: $0) } }
            if json {
                CommandOutput.result(
                    seal.map { AuditAnchor($0).json }
                        ?? ["seal": 0, "lastRow": 0, "at": .null, "head": .string(AuditSeal.origin)])
            } else {
                CommandOutput.result(seal?.head ?? AuditSeal.origin)
            }
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Check that no row of the audit was changed or removed.",
            discussion: """
                Compares the rows with their seals, and the seals with the heads in audit-anchors/ and in FILE. If a row
                was changed, inserted or removed, it prints the range of rows, and the exit status is 1.

                Example:
                  tributary audit verify study --anchor audit-head.json
                """)
        @OptionGroup var location: RecordsLocation
        @Option(
            help: "A file with a head that was stored elsewhere: the output of `audit head`.",
            completion: .file()) var anchor: String?
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let folder = AuditAnchorFolder(StudyFolder(path: location.dir).auditAnchorsURL)
            // The heads are read first: those that a server writes meanwhile are newer than the store is now.
            var anchors = try folder.anchors()
            var head: String?
            if let anchor {
                switch try Self.head(in: URL(fileURLWithPath: anchor)) {
                case .whole(let whole): anchors.append(whole)
                case .digits(let digits): head = digits
                case .origin: break
                }
            }
            let (known, digits) = (anchors, head)
            let result = try await location.reading { database in
                try await AuditVerifier(database: database).verify(anchors: known, head: digits)
            }
            report(result)
            if result.broken != nil { throw ExitCode(1) }
        }

        private func report(_ result: AuditVerification) {
            if json {
                CommandOutput.result(Self.json(result))
            } else if let broken = result.broken {
                CommandOutput.result("broken: rows \(broken.from) to \(broken.to): \(broken.why.message)")
            } else {
                CommandOutput.result("ok: \(result.rows) rows, head \(result.head)")
                for restoration in result.restored {
                    CommandOutput.result("restored: \(restoration.at), after row \(restoration.lastRow)")
                }
                if result.unsealed > 0 { CommandOutput.result("not sealed yet: \(result.unsealed) rows") }
            }
        }

        private static func json(_ result: AuditVerification) -> JSON {
            func number(_ value: Int64) -> JSON { .number(JSONNumber(Int(value))) }
            if let broken = result.broken {
                return [
                    "ok": false, "broken": ["from": number(broken.from), "to": number(broken.to)],
                    "why": .string(broken.why.message),
                ]
            }
            let restored = result.restored.map { restoration -> JSON in
                ["at": .string(restoration.at), "lastRow": number(restoration.lastRow)]
            }
            return [
                "ok": true, "rows": number(result.rows), "head": .string(result.head), "restored": .array(restored),
            ]
        }

        /// A head in a file.
        private enum StoredHead {
            case whole(AuditAnchor)
            case digits(String)
            /// The head of an audit without seals, which every audit has.
            case origin
        }

        private static func head(in file: URL) throws -> StoredHead {
            try FileAccess.require(file)
            let data = FileManager.default.contents(atPath: file.path) ?? Data()
            if let anchor = AuditAnchorFolder.anchor(in: data) { return .whole(anchor) }
            let text = String(decoding: data.prefix(4_096), as: UTF8.self)
            let digits = ((try? JSON(data))?["head"]?.string ?? text).trimmingCharacters(in: .whitespacesAndNewlines)
            if digits == AuditSeal.origin { return .origin }
            guard AuditAnchor.isHead(digits) else {
                throw ServerError(
                    code: "audit-anchor-invalid",
                    message: "\(file.lastPathComponent) is not the output of `tributary audit head`.")
            }
            return .digits(digits)
        }
    }
}

extension RecordsLocation {
    /// Runs a closure with the records' store, without sealing the audit.
    func reading<T>(_ body: (any SQLDatabase) async throws -> T) async throws -> T {
        try await StudyStores(StudyFolder(path: dir), database: database).openRecords().closing(body)
    }
}
