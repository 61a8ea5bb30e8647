import Foundation
import StorageTestSupport
import TestSupport
import Testing

@testable import Storage

/// Lists of texts in one parameter, against sets.
@Suite struct TextListTests {
    private static let texts = [
        "", "a", "A", "ab", "abc", "b", "ä", "z", "-", ".", "9", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "\u{10FFFF}",
        "a b",
    ]

    @Test func membersAreFoundInListsOfEachSize() async throws {
        var generator = Seeded.fresh()
        try await withTemporaryDatabase([]) { database async throws in
            guard database is SQLiteDatabase else { return }
            for size in [0, 1, 2, 3, 4, 7, 8, 100] {
                let members = Set(
                    (0..<size).map { _ in
                        Bool.random(using: &generator)
                            ? String(UInt64.random(in: 0..<500, using: &generator), radix: 36)
                            : Self.texts[Int.random(in: 1..<Self.texts.count, using: &generator)]
                    })
                let list = try #require(TextList.sorted(members))
                let asked = Self.texts + (0..<500).map { String(UInt64($0), radix: 36) } + members
                let found = try await database.read { transaction in
                    try asked.map { text in
                        try transaction.first(
                            "SELECT \(TextList.function)(?, ?) AS found", [SQLValue(list), SQLValue(text)]
                        )?.integer("found") == 1
                    }
                }
                #expect(found == asked.map { members.contains($0) }, "\(members)")
            }
        }
    }

    @Test func valuesOfOtherTypesAreNoMembers() async throws {
        try await withTemporaryDatabase([]) { database async throws in
            guard database is SQLiteDatabase else { return }
            let found = try await database.read { transaction in
                try [SQLValue.null, .integer(1), .blob(Data("1".utf8)), "1"].map {
                    try transaction.first("SELECT \(TextList.function)('1', ?) AS found", [$0])?.integer("found")
                }
            }
            #expect(found == [0, 0, 0, 1])
        }
    }

    @Test func textsThatAListCannotHaveMakeNoList() {
        #expect(TextList.sorted(["a", "b\nc"]) == nil && TextList.sorted([""]) == nil)
        #expect(TextList.sorted(["b", "a", "B"]) == "B\na\nb")
    }
}
