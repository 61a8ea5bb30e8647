import FHIR
import FHIRPath

/// The problems of a form's expressions (<https://hl7.org/fhir/uv/sdc/expressions.html>).
struct ExpressionRules {
    let program: FormProgram
    let dependencies: DependencyGraph
    let items: [FormItem]

    /// The problems, in the order of the expressions.
    var problems: [FormProblem] {
        program.entries.indices.flatMap { own($0) + names(of: $0) } + columns + cycles + doubled
    }

    /// The problems of the columns of choices.
    private var columns: [FormProblem] {
        items.flatMap { item in
            (item.expressions?.columns ?? []).compactMap { column in
                guard case .failure(let error) = column.path else { return nil }
                return problem(
                    "expression-invalid", at: item.index,
                    message: "An expression (\(ChoiceColumn.kind)) is not valid: \(error.description)")
            }
        }
    }

    private func problem(
        _ code: String, severity: FormProblem.Severity = .error, at owner: Int?, message: Sentence
    ) -> FormProblem {
        FormProblem(code: code, severity: severity, linkID: owner.map { items[$0].linkID }, sentence: message)
    }

    /// Returns the problems of an expression's text.
    private func own(_ index: Int) -> [FormProblem] {
        let entry = program.entries[index]
        switch entry.expression.body {
        case .path, .query: return []
        case .unsupported(let language):
            return [
                problem(
                    "expression-language", severity: .information, at: entry.owner,
                    message:
                        "An expression (\(entry.kind)) is in the language \(Self.shown(language)), which is not evaluated."
                )
            ]
        case .invalid(let error):
            // A rule of the form that cannot be evaluated refuses no answer.
            let severity: FormProblem.Severity = entry.kind == "constraint" ? .warning : .error
            return [
                problem(
                    "expression-invalid", severity: severity, at: entry.owner,
                    message: "An expression (\(entry.kind)) is not valid: \(error.description)")
            ]
        }
    }

    /// Returns the problems of names: of variables that are not defined, and of linkIds that the form does not have.
    private func names(of index: Int) -> [FormProblem] {
        let entry = program.entries[index]
        return entry.parts.flatMap { part in
            part.unknown.map { name in
                problem(
                    "expression-variable-unknown", severity: entry.kind == "constraint" ? .warning : .error,
                    at: entry.owner,
                    message: "An expression (\(entry.kind)) reads %\(Self.shown(name)), which nothing defines.")
            }
                + zip(part.lookups, part.inputs.lookups).filter { $0.0.item == nil }.map { lookup, source in
                    problem(
                        "expression-item-unknown", severity: .warning, at: entry.owner,
                        message: """
                            An expression (\(entry.kind)) reads the item "\(Self.shown(source.steps.last?.linkID ?? ""))", \
                            which the form does not have there.
                            """)
                }
        }
    }

    private var cycles: [FormProblem] {
        dependencies.cyclic.sorted { $0.key < $1.key }.map { index, path in
            problem(
                "expression-cycle", at: program.entries[index].owner,
                message: "An expression (\(program.entries[index].kind)) depends on itself: \(Self.path(path)).")
        }
            + program.cycles.sorted { $0.key < $1.key }.map { index, names in
                problem(
                    "expression-cycle", at: program.entries[index].owner,
                    message: "A variable depends on itself: \(Self.path(names.map { "%" + $0 })).")
            }
            + dependencies.circleItems.flatMap { circle in
                let path = Self.path(circle.map { items[$0].linkID })
                return circle.filter { !items[$0].conditions.isEmpty }.map { index in
                    problem(
                        "condition-circle", severity: .warning, at: index,
                        message: "The enablement of the item depends on itself through other items: \(path).")
                }
            }
    }

    /// Returns the problems of names that are defined twice: in one element, or again inside of it.
    private var doubled: [FormProblem] {
        func names(_ expressions: ItemExpressions?) -> [String] {
            guard let expressions else { return [] }
            return expressions.variables.map(\.name) + [expressions.population?.name].compactMap { $0 }
        }
        func repeated(_ names: [String], at owner: Int?) -> [FormProblem] {
            var seen: Set<String> = []
            return names.filter { !seen.insert($0).inserted }.map { name in
                problem(
                    "variable-repeated", at: owner,
                    message: "Two expressions of one element define %\(Self.shown(name)).")
            }
        }
        let outer = Set(names(program.root))
        return repeated(names(program.root), at: nil)
            + items.filter { $0.expressions != nil }.flatMap { item -> [FormProblem] in
                let own = names(item.expressions)
                guard !own.isEmpty else { return [] }
                let above = item.ancestors.reduce(into: outer) { $0.formUnion(names(items[$1].expressions)) }
                return repeated(own, at: item.index)
                    + Set(own).intersection(above).sorted().map { name in
                        problem(
                            "variable-hidden", severity: .warning, at: item.index,
                            message: "A variable hides %\(Self.shown(name)) of an element above.")
                    }
                    + Set(own).intersection(Self.reserved).sorted().map { name in
                        problem(
                            "variable-reserved", at: item.index,
                            message: "The name %\(name) has a meaning in every expression.")
                    }
            }
    }

    private static let reserved: Set<String> = [
        "resource", "rootResource", "context", "questionnaire", "qitem", "ucum", "sct", "loinc",
    ]

    private static func path(_ names: [String]) -> String { names.map { shown($0) }.joined(separator: " -> ") }

    private static func shown(_ name: String) -> String { String(name.prefix(200)) }
}
