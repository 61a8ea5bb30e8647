import Testing

@testable import AccessPolicy

@Suite struct AccessScopeTests {
    private func resource(_ text: String) -> ResourceScope? { AccessScope(text).resource }

    @Test func scopesOfVersionTwoAreRead() throws {
        let scope = try #require(resource("patient/Observation.rs"))
        #expect(scope == ResourceScope(context: .patient, type: "Observation", permissions: [.read, .search]))
        #expect(resource("user/*.cruds") == ResourceScope(context: .user, type: nil, permissions: .all))
        #expect(resource("system/Patient.d")?.permissions == .delete)
    }

    @Test func everyChoiceOfLettersInOrderIsReadAndNoOtherOrder() {
        let letters = Array("cruds")
        for mask in 1..<32 {
            let chosen = letters.indices.filter { mask & 1 << $0 != 0 }.map { letters[$0] }
            let text = "system/*." + String(chosen)
            #expect(resource(text)?.permissions.letters == String(chosen))
            #expect(resource(text)?.text == text)
            if chosen.count > 1 { #expect(resource("system/*." + String(chosen.reversed())) == nil) }
        }
    }

    @Test func scopesOfVersionOneMeanThoseOfVersionTwoAndAreAnsweredAsWritten() {
        for (name, letters) in [("read", "rs"), ("write", "cud"), ("*", "cruds")] {
            for target in ["patient/Observation", "user/*", "system/Group"] {
                let scope = AccessScope("\(target).\(name)")
                #expect(scope.resource?.text == "\(target).\(letters)")
                #expect(scope.isVersionOne && scope.text == "\(target).\(name)")
                #expect(scope.resource?.versionOneText == scope.text)
            }
        }
        #expect(!AccessScope("patient/*.rs").isVersionOne)
    }

    @Test func aQueryIsDecodedAndComparedWithoutItsOrder() throws {
        let text = "patient/Observation.rs?status=final&category=http://terminology.example/x%7Claboratory"
        let query = try #require(resource(text)?.query)
        #expect(query.parameters.map(\.name) == ["category", "status"])
        #expect(query.parameters.map(\.value) == ["http://terminology.example/x|laboratory", "final"])
        let other = "patient/Observation.rs?category=http://terminology.example/x|laboratory&status=final&status=final"
        #expect(resource(other)?.query == query)
        #expect(AccessScope(text).text == text)
    }

    @Test(arguments: [
        "", "/", ".", "patient", "patient/", "patient/Observation", "patient/Observation.", "patient/.rs", "patient/*",
        "patient/Observation.dus", "patient/Observation.rr", "patient/Observation.sr", "patient/Observation.reads",
        "patient/Observation.RS", "patient/Observation.rs?", "patient/Observation.rs?category", "patient/*.rs?=x",
        "patient/Observation.rs?category=", "patient/Observation.rs?a=1&", "patient/Observation.rs?a=1&&b=2",
        "patient/Observation.rs?a=%zz", "patient/Observation.rs?a=%ff", "patient/Observation.rs?a=%00",
        "patient/Observation.rs?_count=5", "patient/Observation.rs?_include:iterate=Observation:subject",
        "patient/Observation.read?category=x", "patient/Observation.*?category=x", "Patient/Observation.rs",
        "person/Observation.rs", "patient/observation.rs", "patient/Obs ervation.rs", "patient//Observation.rs",
        "patient/Observation/x.rs", "patient/../Observation.rs", "*.cruds", "*/*.cruds", ".cruds",
        "patient/Observation.rs\n", "patient/Observation.rs\"", "patient/Obs\\.rs", "patient/Obsérvation.rs",
        "conf/", "conf/n", "conf/X", "conf/ETH", "conf/*", "sens/", "sens/eth", "sens/XYZ", "sens/N", "sens/?",
        "sens/_InformationSensitivityPolicy", "sens/ENCRYPT", "btg", "Openid", "launch/", "launch/encounter", "email",
        "patient/Observation.rs?" + (0...16).map { "p\($0)=1" }.joined(separator: "&"),
        "patient/Observation.rs?a=" + String(repeating: "x", count: 2048),
    ])
    func invalidScopeIsUnrecognized(text: String) throws {
        #expect(AccessScope(text).kind == .unrecognized)
        #expect(AccessScope(text).text == text)
    }

    @Test func otherScopesAreRecognised() throws {
        let text = "launch launch/patient openid fhirUser profile offline_access online_access conf/R sens/ETH sens/*"
        #expect(
            try AccessScopes(text).scopes.map(\.kind) == [
                .launch, .launchPatient, .openID, .fhirUser, .profile, .offlineAccess, .onlineAccess,
                .confidentiality(.restricted), .sensitivity("ETH"), .everySensitivity,
            ])
    }

    @Test func listKeepsEachScopeOnceAsWritten() throws {
        let list = try AccessScopes("  patient/*.read openid  what-is-this patient/*.read ")
        #expect(list.text == "patient/*.read openid what-is-this")
        #expect(list.unrecognized.map(\.text) == ["what-is-this"])
        #expect(list.resources.count == 1)
        #expect(try AccessScopes("").scopes == [])
        #expect(try AccessScopes("conf/V sens/* what").permitNothing)
        #expect(try !AccessScopes("openid").permitNothing)
    }

    @Test func aListIsBounded() throws {
        #expect(throws: ScopeError.tooLong) { try AccessScopes(String(repeating: "x", count: 100_000)) }
        #expect(throws: ScopeError.tooMany) {
            try AccessScopes((0...512).map { "s\($0)" }.joined(separator: " "))
        }
        #expect(try AccessScopes((0..<512).map { "s\($0)" }.joined(separator: " ")).scopes.count == 512)
        #expect(try AccessScopes(String(repeating: "openid ", count: 4000)).scopes.count == 1)
        for error in [ScopeError.tooLong, .tooMany] { #expect(error.message.hasSuffix(".")) }
    }

    @Test func labelsOfAListDetermineItsAccess() throws {
        #expect(try AccessScopes("patient/*.rs").confidentiality == .normal)
        #expect(try AccessScopes("patient/*.rs").sensitivity == .none)
        #expect(try AccessScopes("conf/L conf/R conf/N").confidentiality == .restricted)
        #expect(try AccessScopes("conf/U").confidentiality == .unrestricted)
        #expect(
            try AccessScopes("sens/ETH sens/HIV").sensitivity == .codes(["ETH", "SUD", "ETHUD", "OPIOIDUD", "HIV"]))
        #expect(try AccessScopes("sens/SOC").sensitivity == .codes(["SOC"]))
        #expect(try AccessScopes("sens/ETH sens/*").sensitivity == .every)
    }
}
