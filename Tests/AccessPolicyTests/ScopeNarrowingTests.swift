import TestSupport
import Testing

@testable import AccessPolicy

@Suite struct ScopeNarrowingTests {
    private func narrowed(_ asked: String, _ limit: String) throws -> String {
        try AccessScopes(asked).narrowed(to: AccessScopes(limit)).text
    }

    @Test(arguments: [
        // A fully granted scope is returned as requested.
        ("patient/Observation.read", "patient/*.cruds", "patient/Observation.read"),
        ("patient/Observation.rs", "patient/*.read", "patient/Observation.rs"),
        ("openid fhirUser patient/*.rs", "patient/*.rs openid fhirUser launch", "openid fhirUser patient/*.rs"),
        // Less by type, letters and query; version 1 is kept if it has a word for the result.
        ("patient/*.read", "patient/Observation.cruds", "patient/Observation.read"),
        (
            "patient/*.*", "patient/Observation.rs patient/Condition.cud",
            "patient/Observation.read patient/Condition.write"
        ),
        ("patient/*.read", "patient/Observation.r", "patient/Observation.r"),
        ("user/*.cruds", "user/Observation.r user/Observation.s user/Patient.r", "user/Observation.rs user/Patient.r"),
        ("user/*.cruds", "user/*.cru user/*.ds", "user/*.cruds"),
        ("patient/Observation.rs", "patient/Observation.rs?status=final", "patient/Observation.rs?status=final"),
        ("patient/Observation.rs?status=final", "patient/Observation.rs", "patient/Observation.rs?status=final"),
        (
            "patient/Observation.rs?status=final", "patient/Observation.rs?category=a|b",
            "patient/Observation.rs?category=a|b&status=final"
        ),
        (
            "patient/Observation.rs?status=final&category=a", "patient/*.rs?category=a",
            "patient/Observation.rs?status=final&category=a"
        ),
        (
            "patient/Observation.rs", "patient/*.rs?_tag=x patient/Observation.s",
            "patient/Observation.rs?_tag=x patient/Observation.s"
        ),
        // A context does not include another one.
        ("system/*.rs", "patient/*.rs user/*.rs", ""), ("patient/*.rs", "user/*.rs system/*.rs", ""),
        // Labels.
        ("user/*.rs conf/V", "user/*.rs conf/R", "user/*.rs conf/R"),
        ("user/*.rs conf/V", "user/*.rs", "user/*.rs conf/N"),
        ("user/*.rs", "user/*.rs conf/V", "user/*.rs"),
        ("user/*.rs", "user/*.rs conf/L", "user/*.rs conf/L"),
        ("user/*.rs conf/U", "user/*.rs conf/L", "user/*.rs conf/U"),
        ("user/*.rs sens/*", "user/*.rs sens/HIV sens/ETH", "user/*.rs sens/ETH sens/HIV"),
        ("user/*.rs sens/*", "user/*.rs sens/*", "user/*.rs sens/*"),
        ("user/*.rs sens/SUD sens/PSY", "user/*.rs sens/ETH", "user/*.rs sens/SUD"),
        ("user/*.rs sens/ETH", "user/*.rs sens/SPI", "user/*.rs sens/SUD"),
        ("user/*.rs sens/ETH", "user/*.rs sens/*", "user/*.rs sens/ETH"),
        ("user/*.rs sens/ETH", "user/*.rs", "user/*.rs"),
        // Unknown scopes, and scopes that may not be granted.
        ("openid offline_access what launch/patient", "openid what", "openid"),
        ("what btg conf/V sens/*", "what btg user/*.rs", ""),
    ])
    func narrowingGivesThePermittedScopes(asked: String, limit: String, left: String) throws {
        #expect(try narrowed(asked, limit) == left)
    }

    @Test func withheldTypesStayWithheld() throws {
        let limit = try AccessScopes("user/*.rs user/Consent.r").withholding(["Consent", "Provenance"])
        let left = try AccessScopes("user/*.cruds user/Provenance.rs user/Consent.rs").narrowed(to: limit)
        #expect(left.text == "user/*.rs user/Consent.r" && left.withheldTypes == ["Consent", "Provenance"])
        let whole = try AccessScopes("user/*.rs").narrowed(to: limit)
        #expect(whole.text == "user/*.rs user/Consent.r" && whole.withheldTypes == limit.withheldTypes)
        // The request may withhold types too.
        let narrow = try limit.narrowed(to: AccessScopes("user/*.rs"))
        #expect(narrow == limit)
    }

    @Test func sizeOfAnIntersectionIsLimited() throws {
        let asked = (0..<200).map { "user/*.rs?a=\($0)" }.joined(separator: " ")
        let limit = (0..<200).map { "user/*.rs?b=\($0)" }.joined(separator: " ")
        #expect(throws: ScopeError.tooMany) { try narrowed(asked, limit) }
    }

    @Test func narrowedScopesCanBeReadAgain() throws {
        func parameters(_ name: String) -> String { (0..<16).map { "\(name)\($0)=1" }.joined(separator: "&") }
        // Both together have more parameters than a scope may have.
        let left = try narrowed("user/*.rs?\(parameters("a")) user/*.d", "user/*.rs?\(parameters("b")) user/*.d")
        #expect(left == "user/*.d")
        let same = (0..<600).map { "patient/T\(String(repeating: "x", count: $0 % 60)).read" }.joined(separator: " ")
        #expect(try AccessScopes(narrowed(same, "patient/*.rs")).scopes.count == 60)
        let wide = (["patient/*.rs"] + (0..<60).map { "patient/*.rs?a=\($0)" }).joined(separator: " ")
        #expect(
            try narrowed(wide, "patient/Patient.rs patient/Device.rs").hasPrefix(
                "patient/Patient.rs patient/Device.rs "))
    }

    /// Narrowed scopes permit what both lists permit, checked for each context, type, letter and set of matched
    /// parameters.
    @Test func narrowingIsTheIntersection() throws {
        var generator = Seeded.fresh()
        let codes: [Set<String>] = [[], ["ETH"], ["SUD"], ["PSY"], ["SPI"], ["HIV"], ["SOC"], ["?"], ["SUD", "HIV"]]
        var permitted = 0
        for _ in 0..<400 {
            let asked = try AccessScopes(RandomGrants.scopes(&generator, labels: true))
                .withholding(RandomGrants.withheld(&generator))
            let limit = try AccessScopes(RandomGrants.scopes(&generator, labels: true))
                .withholding(RandomGrants.withheld(&generator))
            let left = try asked.narrowed(to: limit)
            for context in ResourceScope.Context.allCases {
                for type in ["Observation", "Patient", "Device"] {
                    for permission in [ScopePermissions.create, .read, .update, .delete, .search] {
                        for met in RandomGrants.metParameters {
                            let both = [asked, limit].allSatisfy {
                                permits($0, context: context, type: type, permission: permission, met: met)
                            }
                            let isLeft = permits(left, context: context, type: type, permission: permission, met: met)
                            if isLeft != both { Issue.record("\(asked.text) | \(limit.text) | \(left.text)") }
                            if both { permitted += 1 }
                        }
                    }
                }
            }
            guard !left.permitNothing else { continue }
            #expect(left.confidentiality == min(asked.confidentiality, limit.confidentiality))
            for sensitivities in codes {
                #expect(
                    left.sensitivity.permits(sensitivities)
                        == [asked, limit].allSatisfy { $0.sensitivity.permits(sensitivities) },
                    "\(asked.text) | \(limit.text) | \(left.text) | \(sensitivities)")
            }
            // Narrowing again, or by the result itself, changes nothing.
            #expect(try left.narrowed(to: left).text == left.text)
            #expect(try AccessScopes(left.text).withholding(left.withheldTypes) == left)
        }
        #expect(permitted > 500)
    }

    private func permits(
        _ scopes: AccessScopes, context: ResourceScope.Context, type: String, permission: ScopePermissions,
        met: Set<String>
    ) -> Bool {
        scopes.resources(of: type, for: permission).contains { scope in
            scope.context == context
                && (scope.query?.parameters.allSatisfy { met.contains("\($0.name)=\($0.value)") } ?? true)
        }
    }
}
