import Core
import Foundation
import Storage
import StorageTestSupport
import Testing
import Wire

@testable import Permissions

@Suite struct PermissionListingTests {
    @Test func listContainsTheTermsAndTheSignature() async throws {
        try await PermissionFixture.with { fixture in
            let (wallet, app) = (try await fixture.csi(wallet: "anna"), try await fixture.csi())
            let terms = try fixture.terms(
                [app], .write, of: "Patient", confidentiality: "V", sensitivities: ["SOC", "ETH"], until: 1_000)
            let call = try await fixture.call(.grant(terms), by: wallet)
            let store = fixture.store
            let ids = try await fixture.database.write { try store.grant(terms, of: call, in: $0).permissions }
            let expected = PermissionRecord(
                id: ids[0], grantor: wallet.guid, grantees: [app.guid], start: terms.start, end: terms.end,
                timeStamp: terms.timeStamp, scope: terms.scope, status: .active, consent: ids[0],
                signature: call.request.signature, version: .v2)
            #expect(try await fixture.given(wallet) == [expected])
            #expect(try await fixture.received(app) == [expected])
            #expect(try await fixture.given(app) == [])
            #expect(try await fixture.received(wallet) == [])
            // The form of an answer is read again.
            #expect(PermissionRecord(json: expected.json) == expected)
        }
    }

    @Test func listsAreOfOneVersionOrTheOther() async throws {
        try await PermissionFixture.with { fixture in
            let (wallet, app) = (try await fixture.csi(wallet: "anna"), try await fixture.csi())
            try await fixture.grant(fixture.terms([app]), by: wallet, version: .v1)
            try await fixture.grant(fixture.terms([app]), by: wallet)
            let versions = try await fixture.given(wallet).map(\.version)
            #expect(versions == [.v1, .v2])
        }
    }

    /// All rows are found by an index, and none are sorted after they were read.
    @Test func statementsUseAnIndex() async throws {
        try await PermissionFixture.with { fixture in
            let time = SQLValue(fixture.clock.now)
            let (text, limit): (SQLValue, SQLValue) = ("a", 10)
            try await fixture.database.read { transaction in
                for (sql, parameters) in [
                    (PermissionStore.byID, [text]), (StoredPermissionRequest.sql, [text]),
                    (PermissionStore.passableSQL, [text, time, time, limit]),
                    (PermissionStore.activeCount, [text, time]),
                    (PermissionStore.givenToSQL, [text, text, time, limit]),
                    (PermissionStore.ofPatientToSQL, [text, text, time, limit]),
                    (PermissionStore.receivedSQL, [text, time, limit]),
                    (PermissionStore.passedOnSQL, [text, time, limit]), (PermissionStore.childrenSQL, [text]),
                    (PermissionStore.endSQL, [time, text, text]), (PermissionStore.changeSQL, [text]),
                    (PermissionStore.givenSQL, [text, time, limit]), (PermissionStore.allGivenSQL, [text, limit]),
                    (PermissionStore.ofPatientSQL, [text, time, limit]),
                    (PermissionStore.allOfPatientSQL, [text, limit]),
                    (PermissionStore.listedReceivedSQL, [text, time, limit]),
                    (PermissionStore.allReceivedSQL, [text, limit]),
                    (PermissionStore.walletsSQL, [text]), (PermissionStore.restorationSQL, [text, text]),
                    (PermissionVerification.pageSQL, [limit, limit]),
                ] {
                    let plan = try QueryPlan(sql, parameters, in: transaction)
                    #expect(!plan.readsAll, "\(sql) \(plan)")
                    if sql.contains("ORDER BY number") { #expect(!plan.sorts, "\(sql) \(plan)") }
                }
            }
        }
    }
}
