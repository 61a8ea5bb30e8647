import Testing

/// A FHIR write reaches no private key.
@Suite struct PrivateKeyReachTests {
    /// The module with the folder of private keys.
    private static let keys = "StudyKeys"
    /// The modules that a FHIR write passes: the FHIR server, the gateway of other devices, and the rules of admission.
    private static let passed = ["FHIRServer", "DeviceGateway", "Admission"]

    private let plan = ModuleRules().plan

    @Test(arguments: passed) func noModuleThatAFHIRWritePassesImportsPrivateKeys(name: String) throws {
        try #require(plan.module(name) != nil && plan.module(Self.keys) != nil)
        let chain = plan.importChain(from: name, to: Self.keys)
        #expect(chain == nil, "\(chain?.joined(separator: " imports ") ?? "")")
    }

    /// Wire has the type of a private key, which only the consumer may have.
    @Test(arguments: passed) func noModuleThatAFHIRWritePassesNamesAPrivateKey(name: String) throws {
        let module = try #require(plan.module(name))
        let files = try PackageFolder.ours.swiftFiles(below: module.folder)
        try #require(!files.isEmpty)
        let breaches = files.flatMap { file in
            ["PrivateKey", "KeyOpener"].flatMap { SwiftCode(file.text).lines(with: $0) }.map { "\(file.path):\($0)" }
        }
        #expect(breaches == [])
    }

    @Test func onlyTheConsumerAndTheComposingModulesImportKeys() {
        let importers = plan.modules.filter { $0.mayImport.contains(Self.keys) }.map(\.name)
        #expect(Set(importers) == ["Consumer", "StudyFiles", "StudyOperations", "TributaryServer"])
    }

    @Test func chainOfImportsIsFound() {
        let plan = ModulePlan(
            plan: """
                | layer | folder | modules |
                |---|---|---|
                | system | `Sources/System/` | `CA` |
                | 0 | `Sources/Some/` | `Keys`, `Store`, `Rules`, `Server`, `Apart` |

                | module | may import of ours |
                |---|---|
                | Keys, Apart | nothing |
                | Store | Rules |
                | Rules | Keys, Store |
                | Server | Store, Apart |
                """)
        #expect(plan.importChain(from: "Server", to: "Keys") == ["Server", "Store", "Rules", "Keys"])
        #expect(plan.importChain(from: "Server", to: "Apart") == ["Server", "Apart"])
        #expect(plan.importChain(from: "Apart", to: "Keys") == nil)
    }
}
