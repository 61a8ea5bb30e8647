import AccessPolicy
import Core
import Foundation
import Storage
import TestSupport
import Testing

@testable import Audit

@Suite(.timeLimit(.minutes(10)))
struct AuditAnchorTests {
    private func mode(_ url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }

    @Test func headsAreWrittenOnceForTheOwnerOnly() async throws {
        try await withSeals { fixture async throws in
            try await withTemporaryFolder { folder in
                let anchors = AuditAnchorFolder(URL(fileURLWithPath: folder + "/audit-anchors", isDirectory: true))
                try await anchors.write(headOf: fixture.database)
                #expect(try anchors.anchors().isEmpty)
                for count in 1...3 {
                    try await fixture.add(5)
                    let seal = try await fixture.sealer().seal()
                    for _ in 0..<2 { try await anchors.write(headOf: fixture.database) }
                    let written = try anchors.anchors()
                    #expect(written.count == count && written.last?.head == seal?.head)
                }
                #expect(try mode(anchors.url) == 0o700)
                for name in try FileManager.default.contentsOfDirectory(atPath: anchors.url.path) {
                    #expect(try mode(anchors.url.appendingPathComponent(name)) == 0o600)
                    #expect(!name.hasPrefix("."))
                }
                #expect(try await fixture.verify(anchors: try anchors.anchors()).broken == nil)
            }
        }
    }

    @Test func folderIsBoundedAndKeepsHeadsThatTheStoreLacks() async throws {
        try await withSeals { fixture async throws in
            try await withTemporaryFolder { folder in
                let anchors = AuditAnchorFolder(URL(fileURLWithPath: folder, isDirectory: true))
                try await fixture.add(6)
                try await fixture.sealer(rows: 3).seal()
                try await anchors.write(headOf: fixture.database)
                let lost = try #require(try anchors.anchors().last)
                // The end of the audit is removed.
                try await fixture.database.write { transaction in
                    try transaction.execute("DELETE FROM audit_participant WHERE number > 3")
                    try transaction.execute("DELETE FROM audit WHERE number > 3")
                    try transaction.execute("DELETE FROM audit_seal WHERE number > 1")
                }
                // Heads that were written before.
                try await fixture.add(AuditAnchorFolder.maximumHeads)
                try await fixture.sealer(rows: 1).seal()
                let seals = try await fixture.database.read { transaction in
                    try transaction.query("SELECT * FROM audit_seal ORDER BY number").map { try AuditSeal($0) }
                }
                for anchor in seals.map(AuditAnchor.init) {
                    let number = String(anchor.seal)
                    let name = String(repeating: "0", count: 12 - number.count) + number + "-" + anchor.head.prefix(16)
                    try Data(anchor.json.text().utf8).write(to: anchors.url.appendingPathComponent(name + ".json"))
                }
                try await fixture.add(1)
                try await fixture.sealer().seal()
                try await anchors.write(headOf: fixture.database)
                let left = try anchors.anchors()
                #expect(left.count <= AuditAnchorFolder.maximumHeads && left.contains(lost))
                #expect(left.count == AuditAnchorFolder.keptHeads + 1 && left.last?.seal == Int64(seals.count + 1))
                #expect(try await fixture.verify(anchors: left).broken?.why == .headUnknown)
            }
        }
    }

    @Test func damagedFileIsAnError() async throws {
        try await withTemporaryFolder { folder in
            let anchors = AuditAnchorFolder(URL(fileURLWithPath: folder, isDirectory: true))
            try Data("{}".utf8).write(to: anchors.url.appendingPathComponent("000000000001-aaaa.json"))
            let error = #expect(throws: AccessError.self) { try anchors.anchors() }
            #expect(error?.code == "audit-anchor-invalid")
        }
    }

    @Test(arguments: [
        "", "{}", "[]", "1", #"{"seal":0,"lastRow":1,"at":"x","head":"0"}"#,
        #"{"seal":1,"lastRow":1,"at":"x","head":"A"}"#,
    ])
    func textsThatAreNoHeadAreRefused(text: String) {
        #expect(AuditAnchorFolder.anchor(in: Data(text.utf8)) == nil)
    }
}
