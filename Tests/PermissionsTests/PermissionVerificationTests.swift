import Core
import Foundation
import Storage
import StorageTestSupport
import Testing
import Wire

@testable import Permissions

@Suite struct PermissionVerificationTests {
    @Test func changesOfRowsAndRecordsAreFound() async throws {
        try await PermissionFixture.with { fixture in
            let (wallet, app) = (try await fixture.csi(wallet: "anna"), try await fixture.csi())
            let ended = try await fixture.grant(fixture.terms([app], .write), by: wallet)[0]
            _ = try await fixture.end(app, by: wallet)
            let id = try await fixture.grant(fixture.terms([app]), by: wallet)[0]
            let other = try await fixture.grant(fixture.terms([app]), by: wallet)[0]
            let verified = try await fixture.verify()
            #expect(verified.different == [] && verified.count == 3)
            let requests = "SELECT request_id FROM access_permission WHERE id ="
            for (sql, different) in [
                ("UPDATE access_permission SET access = 'write' WHERE id = '\(id)'", [id]),
                ("UPDATE access_permission SET ends_at = '2099-01-01T00:00:00.000Z' WHERE id = '\(id)'", [id]),
                ("UPDATE access_permission SET confidentiality = 'V' WHERE id = '\(id)'", [id]),
                ("UPDATE access_permission SET sensitivities = 'ETH' WHERE id = '\(id)'", [id]),
                ("UPDATE access_permission SET resource_types = 'Patient' WHERE id = '\(id)'", [id]),
                ("UPDATE access_permission SET resource_types = '' WHERE id = '\(id)'", [id]),
                ("UPDATE access_permission SET participant = 'bert' WHERE id = '\(id)'", [id]),
                ("UPDATE access_permission SET grantee = grantor WHERE id = '\(id)'", [id]),
                ("UPDATE access_permission SET ended_at = NULL WHERE id = '\(ended)'", [ended]),
                ("UPDATE access_permission SET ended_at = created_at WHERE id = '\(id)'", [id]),
                (
                    """
                    UPDATE access_permission SET ending_request_id = (\(requests) '\(id)') WHERE id = '\(ended)'
                    """, [ended]
                ),
                ("UPDATE permission_request SET body = \(Self.blob) WHERE id IN (\(requests) '\(id)')", [id]),
                (
                    """
                    UPDATE permission_request SET public_key =
                        '\(try P256SigningKey().publicKey.base64Info)' WHERE id IN (\(requests) '\(other)')
                    """, [other]
                ),
                (
                    """
                    UPDATE record_source SET submission_id = 'fhir:x' WHERE number IN (
                        SELECT v.source FROM record_version v JOIN record r ON r.number = v.number WHERE r.id = '\(other)')
                    """, [ended, id, other]
                ),
                (
                    """
                    UPDATE record SET version = 1 WHERE id = '\(ended)'
                    """, [ended]
                ),
            ] {
                do {
                    try await fixture.database.write { transaction in
                        try transaction.execute(sql, [])
                        var verification = PermissionVerification()
                        while try verification.page(of: 2, in: transaction) {}
                        #expect(Set(verification.different).isSubset(of: Set(different)), "\(sql)")
                        #expect(!verification.different.isEmpty, "\(sql)")
                        throw Rollback()
                    }
                } catch is Rollback {}
            }
            #expect(try await fixture.verify().different == [])
        }
    }

    /// An empty object, in the form of either engine.
    private static let blob = TestEngine.chosen == .sqlite ? "CAST('{}' AS blob)" : "CAST('{}' AS bytea)"
    private struct Rollback: Error {}
}
