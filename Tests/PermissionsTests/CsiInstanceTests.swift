import Audit
import Foundation
import StorageTestSupport
import Testing
import Wire

@testable import Permissions

@Suite struct CsiInstanceTests {
    @Test func theRolesThatASiteAssignsAreProviderAndCaregiver() {
        #expect(CsiInstance.CareRole.allCases.map(\.rawValue) == ["provider", "caregiver"])
    }
}
