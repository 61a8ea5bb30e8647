import Foundation
import Testing

/// The types and the sizes of modules.
@Suite struct ModuleSizeTests {
    /// The types that a module's files declare outside of other types, and that the module's other files can name.
    private static func types(of module: ModulePlan.Module) throws -> Set<String> {
        let declaration =
            /(?:@\w+(?:\([^)]*\))? )*(?:(?:public|package|internal|final|indirect) )*(?:struct|class|enum|protocol|actor|typealias) (\w+)/
        var types: Set<String> = []
        for file in try PackageFolder.ours.swiftFiles(below: module.folder) {
            // Only declarations outside of other types begin at the first column.
            for line in SwiftCode(file.text).lines where line.first.map({ $0.isLetter || $0 == "@" }) == true {
                guard let found = line.prefixMatch(of: declaration) else { continue }
                types.insert(String(found.output.1))
            }
        }
        return types
    }

    @Test func noTwoModulesHaveATypeOfOneName() throws {
        var owners: [String: [String]] = [:]
        for module in ModuleRules().plan.modules {
            for type in try Self.types(of: module) { owners[type, default: []].append(module.name) }
        }
        #expect(owners.count > 1_500)
        let shared = owners.filter { $0.value.count > 1 }
        #expect(shared.isEmpty, "\(shared)")
    }

    /// Modules whose files are mainly tables of a standard, or of i2b2.
    private static let larger: Set<String> = ["FHIR", "FHIRVersions", "Warehouse"]

    @Test func noModuleHasMoreThanSevenThousandLines() throws {
        let modules = ModuleRules().plan.modules
        #expect(modules.count > 30)
        for module in modules where !Self.larger.contains(module.name) {
            let lines = try PackageFolder.ours.swiftFiles(below: module.folder).reduce(0) { sum, file in
                sum + file.text.utf8.count { $0 == UInt8(ascii: "\n") }
            }
            #expect(lines <= 7_000, "\(module.name) has \(lines) lines.")
        }
    }
}
