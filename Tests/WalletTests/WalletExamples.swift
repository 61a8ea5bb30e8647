import Core
import Foundation
import Wallet
import Wire

/// Values of the tests.
enum WalletExamples {
    static let wallet = guid("11111111-aaaa-4bbb-8ccc-000000000001")
    static let app = guid("22222222-aaaa-4bbb-8ccc-000000000002")
    static let other = guid("33333333-aaaa-4bbb-8ccc-000000000003")
    static let scheme = appScheme("mHealthDApp")
    static let state = "0123456789abcdef"
    static let otherState = "fedcba9876543210"
    static let now = Date(timeIntervalSince1970: 1_520_337_600)

    static func guid(_ text: String) -> CsiGuid {
        guard let guid = CsiGuid(text) else { preconditionFailure("\(text) is no guid") }
        return guid
    }

    static func appScheme(_ text: String) -> AppScheme {
        guard let scheme = AppScheme(text) else { preconditionFailure("\(text) is no scheme") }
        return scheme
    }

    static func terms(_ grantees: [CsiGuid] = [app], days: Double = 30) throws -> PermissionTerms {
        try PermissionTerms(
            grantees: grantees, start: CsiInstant(now), end: CsiInstant(now.addingTimeInterval(days * 86_400)),
            timeStamp: CsiInstant(now), scope: PermissionScope(access: .read))
    }

    static func permission(
        _ grantees: [CsiGuid] = [app], status: PermissionRecord.Status = .active, days: Double = 30, id: String = "p1"
    ) throws -> PermissionRecord {
        let terms = try terms(grantees, days: days)
        return PermissionRecord(
            id: id, grantor: wallet, grantees: grantees, start: terms.start, end: terms.end,
            timeStamp: terms.timeStamp, scope: terms.scope, status: status)
    }
}
