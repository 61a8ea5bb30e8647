import FHIR

/// The responses to a form as a table: a row for each response, a column for each question of any version.
package struct ResponseTable: Sendable {
    /// The columns before those of the questions.
    package static let leading = ["response", "participant", "questionnaire", "version", "status", "authored"]
    /// The last column: answers without a column of their own, as JSON by linkId.
    package static let other = "other_answers"

    /// A question of the form.
    private struct Question: Sendable {
        let linkID: String
        let name: String
        /// The name of the column with the units of quantities; nil for a question of another type.
        let unitName: String?
        /// Whether a response may have several answers.
        let repeats: Bool
        var rows: [CodebookRow]
    }

    /// The canonical URL of the form, or its relative address; nil for responses without a known form.
    package let form: String?
    private let questions: [Question]
    private let indices: [String: Int]
    /// The questions below each repeating group, by the linkId of the group.
    private let groups: [String: [String]]

    /// The names of all columns, before they are escaped.
    package var columns: [String] {
        Self.leading + questions.flatMap { [$0.name] + ($0.unitName.map { [$0] } ?? []) } + [Self.other]
    }

    /// The table of responses without a known form.
    package static let withoutForm = ResponseTable(form: nil, versions: [])

    /// - Parameters:
    ///   - form: the canonical URL of the form without a version, or `Questionnaire/id`.
    ///   - versions: all known versions, newest first. Questions of older ones follow those of newer ones.
    ///   - valueSet: returns a published value set by its name in a question.
    package init(form: String?, versions: [Questionnaire], valueSet: @escaping (String) -> ValueSet? = { _ in nil }) {
        var builder = Builder(form: form)
        for version in versions { builder.add(version, OfferedCodings(of: version, valueSet: valueSet)) }
        self.form = form
        questions = builder.questions()
        indices = Dictionary(uniqueKeysWithValues: questions.enumerated().map { ($1.linkID, $0) })
        groups = builder.groups
    }

    /// The codebook's rows of the columns.
    package func codebook(file: String) -> [CodebookRow] {
        let leading = zip(Self.leading, Self.leadingDescriptions).map { name, words in
            CodebookRow(file: file, column: name, description: words, type: name == "authored" ? "date" : "text")
        }
        let own = questions.flatMap { question in
            let unit = question.unitName.map {
                CodebookRow(
                    file: file, column: $0, description: "Unit of \(question.name)", type: "text",
                    repeats: question.repeats, form: form, linkID: question.linkID)
            }
            return question.rows + (unit.map { [$0] } ?? [])
        }
        let last = CodebookRow(
            file: file, column: Self.other, description: "Answers without a column, as JSON by linkId", type: "text")
        return (leading + own + [last]).map { row in
            var row = row
            row.file = file
            return row
        }
    }

    private static let leadingDescriptions = [
        "Id of the QuestionnaireResponse", "Id of the Patient", "Canonical URL of the form",
        "Version of the form that was answered", "Status of the response", "Time of the answers",
    ]

    // MARK: - Rows

    /// Returns the row of a response.
    ///
    /// - Parameter response: a QuestionnaireResponse.
    package func row(of response: Resource, participant: String) -> [TableCell] {
        let object = response.object
        let name = object["questionnaire"]?.string.map { CanonicalURL($0) }
        var answers = Answers(self)
        answers.add(object["item"])
        return [
            TableCell(response.id), .text(participant), TableCell(name?.url), TableCell(name?.version),
            TableCell(object["status"]?.string), TableCell(object["authored"]?.string),
        ] + answers.cells
    }

    /// The answers of one response.
    private struct Answers {
        private let table: ResponseTable
        private var values: [[TableValue?]]
        private var others: [(linkID: String, values: [JSON])] = []
        private var otherIndices: [String: Int] = [:]

        init(_ table: ResponseTable) {
            self.table = table
            values = Array(repeating: [], count: table.questions.count)
        }

        mutating func add(_ items: JSON?) {
            for item in items?.array ?? [] {
                guard let item = item.object else { continue }
                let linkID = item["linkId"]?.string ?? ""
                let below = (table.groups[linkID] ?? []).compactMap { table.indices[$0] }
                let before = below.map { values[$0].count }
                for answer in item["answer"]?.array ?? [] {
                    guard let answer = answer.object else { continue }
                    add(answer, linkID: linkID)
                    add(answer["item"])
                }
                add(item["item"])
                // Each repetition of a group has an answer in each of its columns, if only an empty one.
                for (index, count) in zip(below, before) where values[index].count == count {
                    values[index].append(nil)
                }
            }
        }

        private mutating func add(_ answer: JSONObject, linkID: String) {
            guard let value = TableValue(of: answer) else { return }
            if let index = table.indices[linkID], table.questions[index].repeats || values[index].isEmpty {
                values[index].append(value)
                return
            }
            guard let json = answer.members.first(where: { $0.key.hasPrefix("value") })?.value else { return }
            if let index = otherIndices[linkID] {
                others[index].values.append(json)
            } else {
                otherIndices[linkID] = others.count
                others.append((linkID, [json]))
            }
        }

        var cells: [TableCell] {
            var cells: [TableCell] = []
            for (question, values) in zip(table.questions, values) {
                cells.append(Self.cell(values.map { $0?.compared ?? .empty }, repeats: question.repeats))
                guard question.unitName != nil else { continue }
                cells.append(Self.cell(values.map { TableCell($0?.unit) }, repeats: question.repeats))
            }
            let other = JSONObject(
                keepingFirst: others.map { JSONObject.Member(key: $0.linkID, value: .array($0.values)) })
            return cells + [others.isEmpty ? .empty : .text(JSON.object(other).text())]
        }

        /// Returns several answers in one cell, with `|` between them.
        private static func cell(_ cells: [TableCell], repeats: Bool) -> TableCell {
            guard cells.contains(where: { $0 != .empty }) else { return .empty }
            guard repeats else { return cells[0] }
            if cells.count == 1, case .number = cells[0] { return cells[0] }
            return .text(
                cells.map { cell in
                    switch cell {
                    case .empty: ""
                    case .number(let digits): digits
                    case .text(let text): escaped(text)
                    }
                }.joined(separator: "|"))
        }

        private static func escaped(_ text: String) -> String {
            guard text.utf8.contains(where: { $0 == 0x7C || $0 == 0x5C }) else { return text }
            return text.reduce(into: "") { output, character in
                if character == "|" || character == "\\" { output.append("\\") }
                output.append(character)
            }
        }
    }

    // MARK: - Columns

    /// Collects the questions of the versions of a form.
    private struct Builder {
        let form: String?
        private(set) var groups: [String: [String]] = [:]
        private var found: [String: (item: Questionnaire.Item, repeats: Bool, hasUnit: Bool, options: [CodebookRow])] =
            [:]
        private var order: [String] = []

        init(form: String?) { self.form = form }

        mutating func add(_ version: Questionnaire, _ offered: OfferedCodings) {
            add(version.item, offered, repeats: false, below: [])
        }

        /// - Parameters:
        ///   - repeats: whether an item above repeats.
        ///   - groups: the linkIds of the repeating groups above.
        private mutating func add(
            _ items: [Questionnaire.Item], _ offered: OfferedCodings, repeats: Bool, below groups: [String]
        ) {
            for item in items {
                let linkID = item.linkId ?? ""
                let isRepeating = repeats || item.repeats == true
                var inner = groups
                switch item.type {
                case .display?: continue
                case .group?:
                    if item.repeats == true { inner.append(linkID) }
                default:
                    for group in groups where self.groups[group]?.contains(linkID) != true {
                        self.groups[group, default: []].append(linkID)
                    }
                    add(item, linkID: linkID, offered, repeats: isRepeating)
                }
                add(item.item, offered, repeats: isRepeating, below: inner)
            }
        }

        private mutating func add(
            _ item: Questionnaire.Item, linkID: String, _ offered: OfferedCodings, repeats: Bool
        ) {
            let options = options(of: item, offered)
            let hasUnit = item.type == .quantity
            guard let known = found[linkID] else {
                order.append(linkID)
                found[linkID] = (item, repeats, hasUnit, options)
                return
            }
            // The newest version comes first; an older one adds what the newer ones lack.
            found[linkID] = (
                known.item, known.repeats || repeats, known.hasUnit || hasUnit,
                known.options + options.filter { !known.options.contains($0) }
            )
        }

        /// Returns the codebook's rows of the options of a question, still without file and column.
        private func options(of item: Questionnaire.Item, _ offered: OfferedCodings) -> [CodebookRow] {
            func row(_ value: TableCell, system: String? = nil, text: String? = nil) -> CodebookRow {
                CodebookRow(
                    file: "", column: "", type: item.type?.rawValue ?? "text", form: form, linkID: item.linkId,
                    option: (value, system, text))
            }
            let codings = offered.codings(of: item) ?? []
            let coded = codings.map { row(TableCell($0.code ?? $0.display), system: $0.system, text: $0.display) }
            return coded
                + item.answerOption.compactMap { option -> CodebookRow? in
                    if case .coding? = option.value { return nil }
                    return TableValue(of: option.object).map { row($0.cell) }
                }
        }

        func questions() -> [Question] {
            var taken = Set(ResponseTable.leading + [ResponseTable.other])
            func unused(_ wanted: String) -> String {
                var (name, number) = (wanted.isEmpty ? "question" : wanted, 2)
                while !taken.insert(name).inserted {
                    name = "\(wanted)_\(number)"
                    number += 1
                }
                return name
            }
            return order.compactMap { linkID in
                guard let (item, repeats, hasUnit, options) = found[linkID] else { return nil }
                let name = unused(linkID)
                let unitName = hasUnit ? ResponseTable.unitName(name) : nil
                let own = CodebookRow(
                    file: "", column: name, description: item.text, type: item.type?.rawValue ?? "text",
                    repeats: repeats, form: form, linkID: linkID,
                    code: (item.code.first?.system, item.code.first?.code))
                let rows = options.map { option in
                    CodebookRow(
                        file: "", column: name, type: option.type, repeats: repeats, form: form, linkID: linkID,
                        option: option.option)
                }
                if let unitName { taken.insert(unitName) }
                return Question(
                    linkID: linkID, name: name, unitName: unitName, repeats: repeats, rows: [own] + rows)
            }
        }
    }

    /// Returns the name of the column of a question's units.
    private static func unitName(_ name: String) -> String { name + ".unit" }
}
