import AccessPolicy
import Core
import FHIR
import FHIRValidation
import Foundation
import RecordStorage
import Storage
import Testing
import Wire

@testable import Permissions

@Suite struct PermissionGrantingTests {
    @Test func requestGivesOnePermissionToEachGrantee() async throws {
        try await PermissionFixture.with { fixture in
            let wallet = try await fixture.csi(wallet: "anna")
            let apps = [try await fixture.csi(), try await fixture.csi()]
            let terms = try fixture.terms(
                apps, .write, of: "Patient,Observation", confidentiality: "V", sensitivities: ["SOC", "ETH"])
            let ids = try await fixture.grant(terms, by: wallet)
            #expect(Set(ids).count == 2)
            for (id, app) in zip(ids, apps) {
                let permission = try await fixture.permission(id)
                #expect(permission.grantor == wallet.guid && permission.grantee == app.guid)
                #expect(permission.patient == "anna" && permission.parent == nil && permission.endedAt == nil)
                #expect(
                    permission.limits.scopes().text
                        == "user/Observation.crus user/Patient.crus conf/V sens/ETH sens/SOC")
            }
            // The request is stored byte for byte.
            let (store, requestID) = (fixture.store, try await fixture.permission(ids[0]).requestID)
            let request = try #require(try await fixture.database.read { try store.request(requestID, in: $0) })
            #expect(try request.verified().call == .grant(terms))
            #expect(request.publicKey == wallet.key.publicKey.base64Info)
            #expect(try await fixture.permission(ids[1]).requestID == requestID)
            #expect(try await fixture.verify().different == [])
        }
    }

    @Test(arguments: CsiSignatureVersion.allCases)
    func consentAndProvenanceAreValidAndThoseOfThePatient(version: CsiSignatureVersion) async throws {
        try await PermissionFixture.with { fixture in
            let wallet = try await fixture.csi(wallet: "anna")
            let (app, doctor) = (try await fixture.csi(), try await fixture.csi(role: .provider))
            let terms = try fixture.terms([app], .write, sensitivities: ["ETH", "SOC"])
            let id = try #require(try await fixture.grant(terms, by: wallet, version: version).first)
            let child = try fixture.terms(
                [doctor], .read, of: "Observation", parent: version == .v2 ? id : nil)
            let childID = try #require(try await fixture.grant(child, by: app, version: version).first)
            _ = try await fixture.end(app, by: wallet, version: version)
            let validator = FHIRValidator()
            for permission in [id, childID] {
                for (type, name, versions) in [
                    ("Consent", permission, 2), ("Provenance", "\(permission)-1", 1),
                    ("Provenance", "\(permission)-2", 1),
                ] {
                    let stored = try #require(try await fixture.record(type, name))
                    #expect(stored.version == Int64(versions) && stored.provenance.isOfPermission)
                    let report = validator.validate(stored.content)
                    #expect(
                        report.errors.isEmpty, "\(report.errors) \(String(decoding: stored.content, as: UTF8.self))")
                    let facts = try await fixture.database.read {
                        try RecordStore().facts(ofType: type, id: name, asking: [], in: $0)
                    }
                    #expect(facts?.facts.owners == ["anna"] && facts?.subject == "anna")
                }
            }
            let consent = try #require(try await fixture.resource("Consent", id).as(Consent.self))
            #expect(consent.status == .inactive && consent.patient?.reference == "Patient/anna")
            guard case .attachment(let attachment)? = consent.source else { throw Missing() }
            let (store, requestID) = (fixture.store, try await fixture.permission(id).requestID)
            let request = try await fixture.database.read { try store.request(requestID, in: $0) }
            #expect(attachment.contentType == "application/json")
            #expect(attachment.data.flatMap { Data(base64Encoded: $0) } == request?.body)
            let made = try await fixture.resource("Provenance", "\(childID)-1")
            let provenance = try #require(made.as(Provenance.self))
            #expect(provenance.target.first?.reference == "Consent/\(childID)/_history/1")
            #expect(provenance.agent.first?.who?.identifier?.value == app.guid.text)
            #expect(provenance.agent.first?.onBehalfOf?.reference == "Patient/anna")
            #expect(provenance.entity.first?.what?.reference == "Consent/\(id)")
            #expect(provenance.signature.count == 1)
        }
    }

    private struct Missing: Error {}

    @Test func onlyABoundWalletGives() async throws {
        try await PermissionFixture.with { fixture in
            let (app, other) = (try await fixture.csi(), try await fixture.csi())
            let wallet = try await fixture.csi(wallet: "anna")
            for version in CsiSignatureVersion.allCases {
                let refused = try await fixture.refusal {
                    try await fixture.grant(fixture.terms([other]), by: app, version: version)
                }
                #expect(refused == .notPermitted)
            }
            let own = try await fixture.refusal {
                try await fixture.grant(fixture.terms([other, wallet]), by: wallet)
            }
            #expect(own == .selfGrant)
            #expect(try await fixture.count("access_permission") == 0)
        }
    }

    @Test func unknownAndEndedGranteesHaveTheSameAnswer() async throws {
        try await PermissionFixture.with { fixture in
            let wallet = try await fixture.csi(wallet: "anna")
            let (known, ended) = (try await fixture.csi(), try await fixture.csi())
            try await fixture.end(ended)
            let unknown = TestCsi(
                guid: try #require(CsiGuid(UUID().uuidString)), key: try P256SigningKey(), device: "d")
            var errors: Set<PermissionError> = []
            for grantee in [unknown, ended] {
                do {
                    try await fixture.grant(fixture.terms([known, grantee]), by: wallet)
                } catch let error as PermissionError { errors.insert(error) }
            }
            #expect(errors.count == 1 && errors.first?.reason == .badField)
            // An app cannot detect a csi by passing on.
            let app = try await fixture.csi()
            let parent = try await fixture.grant(fixture.terms([app], .write), by: wallet).first
            errors = []
            for grantee in [unknown, ended, known] {
                do {
                    try await fixture.grant(fixture.terms([grantee], parent: parent), by: app)
                } catch let error as PermissionError { errors.insert(error) }
            }
            #expect(errors.count == 1 && errors.first?.reason == .notPermitted)
        }
    }

    @Test func termsThatNoRecordCanHaveAreRefused() async throws {
        try await PermissionFixture.with { fixture in
            let (wallet, app) = (try await fixture.csi(wallet: "anna"), try await fixture.csi())
            for terms in [
                try fixture.terms([app], .read, of: "Foo"), try fixture.terms([app], sensitivities: ["ETH", "FOO"]),
            ] {
                let refused = try await fixture.refusal { try await fixture.grant(terms, by: wallet) }
                #expect(refused == .badField)
            }
            // A whole year, in the past or the future, and Consent by its name are accepted.
            let year = 365 * 86_400.0
            try await fixture.grant(
                fixture.terms([app], .read, of: "Consent,AuditEvent", from: -year, until: 0), by: wallet)
            try await fixture.grant(fixture.terms([app], from: year, until: 2 * year), by: wallet)
            let statuses = try await fixture.received(app, all: true).map(\.status)
            #expect(statuses == [.expired, .active])
        }
    }

    @Test func permissionBeginsAndEndsAtTheExactSecond() async throws {
        try await PermissionFixture.with { fixture in
            let (wallet, app) = (try await fixture.csi(wallet: "anna"), try await fixture.csi())
            let id = try #require(
                try await fixture.grant(fixture.terms([app], from: 10, until: 20), by: wallet).first)
            let limits = try await fixture.permission(id).limits
            #expect(!limits.isInForce(at: fixture.clock.now.addingTimeInterval(9.999)))
            #expect(limits.isInForce(at: fixture.clock.now.addingTimeInterval(10)))
            fixture.clock.advance(19.999)
            #expect(try await fixture.received(app).map(\.id) == [id])
            fixture.clock.advance(0.001)
            #expect(try await fixture.received(app) == [])
            #expect(try await fixture.received(app, all: true).map(\.status) == [.expired])
        }
    }

    @Test func failureAtAnyStatementLeavesNothing() async throws {
        try await PermissionFixture.with { fixture in
            let (wallet, app) = (try await fixture.csi(wallet: "anna"), try await fixture.csi())
            let other = try await fixture.csi(role: .caregiver)
            let terms = try fixture.terms([app, other], .write)
            let parent = try #require(try await fixture.grant(terms, by: wallet).first)
            let child = try fixture.terms([other], parent: parent)
            let grant = try await fixture.call(.grant(child), by: app)
            let end = try await fixture.call(.end(app.guid), by: wallet)
            let store = fixture.store
            let before = try await fixture.database.contents(PermissionFixture.tables)
            for (name, body) in [
                ("grant", { @Sendable (transaction) in _ = try store.grant(child, of: grant, in: transaction) }),
                (
                    "end",
                    { @Sendable (transaction) in
                        _ = try store.end(for: app.guid, permission: nil, of: end, in: transaction)
                    }
                ),
            ] as [(String, @Sendable (any SQLTransaction) throws -> Void)] {
                var failures = 0
                while failures < 200 {
                    let allowed = failures
                    do {
                        try await fixture.database.write { transaction in
                            try body(FailingTransaction(transaction, after: allowed))
                            throw Rollback()
                        }
                    } catch is Rollback { break } catch let error as FailingTransaction.Failure {
                        _ = error
                        failures += 1
                        #expect(try await fixture.database.contents(PermissionFixture.tables) == before, "\(name)")
                    }
                }
                #expect(failures > 5 && failures < 200, "\(name): \(failures)")
            }
        }
    }

    private struct Rollback: Error {}
}
