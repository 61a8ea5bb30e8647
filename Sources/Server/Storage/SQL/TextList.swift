import Foundation
import GRDB
import GRDBSQLite

/// A list of texts in one parameter, for conditions that are evaluated for few rows.
///
/// `IN (SELECT ...)` copies the list to a temporary index at each run of a statement, which takes longer for a thousand
/// texts than the rest of a search. SQLite's ``function`` finds a text in the sorted list by itself.
package enum TextList {
    /// Name of the function of a list and a text: 1 if the list has the text, otherwise 0, also for null. Only SQLite
    /// has it.
    package static let function = "text_list_has"

    private static let separator = UInt8(ascii: "\n")

    /// Returns the form of a list: the texts in the order of their UTF-8, separated by newlines. nil if a text has a
    /// newline or is empty.
    package static func sorted(_ texts: some Collection<String>) -> String? {
        guard !texts.contains(where: { $0.isEmpty || $0.utf8.contains(separator) }) else { return nil }
        return texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.joined(separator: "\n")
    }

    /// Whether a list has a text, by a binary search.
    static func has(_ text: UnsafeRawBufferPointer, in list: UnsafeRawBufferPointer) -> Bool {
        guard !text.isEmpty else { return false }
        // The text may begin from `low` up to `high`, both at the start of a text of the list or at its end.
        var (low, high) = (0, list.count)
        while low < high {
            var start = low + (high - low) / 2
            while start > low, list[start - 1] != separator { start -= 1 }
            var end = start
            while end < list.count, list[end] != separator { end += 1 }
            let order = compare(text, UnsafeRawBufferPointer(rebasing: list[start..<end]))
            if order == 0 { return true }
            if order < 0 { high = start } else { low = end + 1 }
        }
        return false
    }

    /// Returns a negative number if the first one precedes the second one, 0 if they are equal.
    private static func compare(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        let count = min(first.count, second.count)
        if count > 0, let one = first.baseAddress, let other = second.baseAddress {
            let order = memcmp(one, other, count)
            if order != 0 { return Int(order) }
        }
        return first.count - second.count
    }

    /// Adds the function to a connection of SQLite.
    ///
    /// It reads the list where it is bound: a function of GRDB would copy it for each row.
    static func register(in database: Database) throws {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        let result = sqlite3_create_function_v2(
            database.sqliteConnection, function, 2, flags, nil,
            { context, _, values in
                guard let list = values?[0], let text = values?[1], sqlite3_value_type(text) == SQLITE_TEXT else {
                    sqlite3_result_int(context, 0)
                    return
                }
                // The bytes of a text, without a copy that ends with zero.
                let listBytes = sqlite3_value_blob(list)
                let textBytes = sqlite3_value_blob(text)
                let isMember = TextList.has(
                    UnsafeRawBufferPointer(start: textBytes, count: Int(sqlite3_value_bytes(text))),
                    in: UnsafeRawBufferPointer(start: listBytes, count: Int(sqlite3_value_bytes(list))))
                sqlite3_result_int(context, isMember ? 1 : 0)
            }, nil, nil, nil)
        guard result == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
    }
}
