/// Where a file breaks a rule of the architecture.
struct Breach: CustomStringConvertible, Equatable {
    let path: String
    let line: Int
    let what: String

    var description: String { "\(path):\(line): \(what)" }
}

/// Checks files against the plan. It is given the files, so that its own tests can plant breaches.
struct ModuleRules {
    var plan = ModulePlan.planned
    var longestFile = 500

    /// Returns the module of a file.
    func module(of file: SourceFile) -> ModulePlan.Module? {
        plan.modules.first { file.path.hasPrefix($0.folder + "/") }
    }

    /// Imports of our modules that the plan does not allow, and imports that are not allowed at all.
    func imports(of file: SourceFile) -> [Breach] {
        guard let importer = module(of: file) else {
            return [Breach(path: file.path, line: 1, what: "stands in no module of the plan")]
        }
        return SwiftCode(file.text).imports.compactMap { module, line in
            if let reason = ModuleRules.forbidden[module] {
                return Breach(path: file.path, line: line, what: "imports \(module): \(reason)")
            }
            if module == "GRDB", importer.name != "Storage" {
                return Breach(path: file.path, line: line, what: "imports GRDB, which only Storage knows")
            }
            guard plan.names.contains(module), module != importer.name, !importer.isOpen,
                !importer.mayImport.contains(module)
            else { return nil }
            return Breach(path: file.path, line: line, what: "\(importer.name) may not import \(module)")
        }
    }

    /// Ways of writing that the code does not have.
    func writing(of file: SourceFile) -> [Breach] {
        let code = SwiftCode(file.text)
        var breaches = ModuleRules.unwanted.flatMap { text, reason -> [Breach] in
            guard ModuleRules.exceptions[file.path]?.text != text else { return [] }
            return code.lines(with: text).map { Breach(path: file.path, line: $0, what: "\(text): \(reason)") }
        }
        let length = file.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
        // Generated tables are data, and a generated file is as long as what it is made of.
        let isGenerated = file.path.contains("/Tables/") || file.path.hasPrefix("Sources/Language/FHIR/Views/")
        if length > longestFile, !isGenerated {
            breaches.append(Breach(path: file.path, line: length, what: "is longer than \(longestFile) lines"))
        }
        return breaches
    }

    static let forbidden = [
        "FoundationXML": "it crashes on the DTD of an Apple Health export; CXML2 reads XML",
        "XMLCoder": "it reads by FoundationXML",
        "XCTest": "it belongs to tests, which use Swift Testing",
    ]

    /// Files that may have one of the unwanted texts, with the reason.
    static let exceptions = [
        "Sources/Apple/CareKitAdapter/CareKitSynchronizer.swift": (
            text: "nonisolated(unsafe)",
            reason: "CareKit's protocol gives a closure for any thread without declaring it"
        )
    ]

    static let unwanted = [
        ("@unchecked Sendable", "what is shared must be safe by its type"),
        ("try!", "an error is a value, not the end"),
        ("fatalError(", "an error is a value, not the end"),
        ("Bundle.module", "a moved binary dies on it; tables are literals"),
        ("nonisolated(unsafe)", "what is shared must be safe by its type"),
    ]
}
