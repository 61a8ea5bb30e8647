extension AuthorSentences {
    /// The sentences in German: pairs of lines, the English template and its translation.
    static let german: StaticString = """
        A group needs items, and a display item has none.
        Eine Gruppe braucht Einträge, und ein Hinweistext hat keine.
        A display item has no code.
        Ein Hinweistext hat keinen Code.
        A question has options of its own or a value set, not both.
        Eine Frage hat eigene Antwortmöglichkeiten oder eine Wertemenge, nicht beides.
        A question of this type cannot have options.
        Eine Frage dieses Typs kann keine Antwortmöglichkeiten haben.
        A display item is neither required nor repeated.
        Ein Hinweistext ist weder erforderlich noch wiederholbar.
        A group or display item has no initial value.
        Eine Gruppe oder ein Hinweistext hat keinen Anfangswert.
        A display item is not read-only.
        Ein Hinweistext ist nicht schreibgeschützt.
        A question of this type cannot have a maximum length.
        Eine Frage dieses Typs kann keine Höchstlänge haben.
        A question with options uses initialSelected, not an initial value.
        Eine Frage mit Antwortmöglichkeiten verwendet initialSelected, keinen Anfangswert.
        Several conditions need an enableBehavior; without it, all must be fulfilled.
        Mehrere Bedingungen brauchen ein enableBehavior; ohne dieses müssen alle erfüllt sein.
        Only a question that repeats has several initial values.
        Nur eine wiederholbare Frage hat mehrere Anfangswerte.
        An item of the abstract type question cannot be answered.
        Ein Eintrag des abstrakten Typs question kann nicht beantwortet werden.
        An enableBehavior is all or any; otherwise all must be fulfilled.
        Ein enableBehavior ist all oder any; sonst müssen alle Bedingungen erfüllt sein.
        The minimum is greater than the maximum: no answer is valid.
        Der Mindestwert ist größer als der Höchstwert: Keine Antwort ist gültig.
        The minimum or the maximum has no unit, and the question permits several: write the limit as a Quantity \
        (minQuantity, maxQuantity), or permit one unit only.
        Der Mindest- oder Höchstwert hat keine Einheit, und die Frage erlaubt mehrere: Geben Sie die Grenze als \
        Quantity an (minQuantity, maxQuantity), oder erlauben Sie nur eine Einheit.
        The unit of the minimum or the maximum is not comparable to a unit of the question.
        Die Einheit des Mindest- oder Höchstwerts ist mit keiner Einheit der Frage vergleichbar.
        An answerConstraint is optionsOnly, optionsOrType or optionsOrString; the question's type decides until it \
        is mended.
        Ein answerConstraint ist optionsOnly, optionsOrType oder optionsOrString; bis es berichtigt ist, \
        entscheidet der Typ der Frage.
        A limit has no value that an answer can be compared with; answers are not checked against it.
        Eine Grenze hat keinen Wert, mit dem sich eine Antwort vergleichen lässt; Antworten werden nicht damit \
        geprüft.
        The pattern cannot be parsed; answers are not checked against it.
        Das Muster ist nicht lesbar; Antworten werden nicht damit geprüft.
        The pattern has JavaScript's form, /pattern/flags; it is read without the slashes. Other apps can treat \
        them as part of the pattern.
        Das Muster hat die Form von JavaScript, /pattern/flags; es wird ohne die Schrägstriche gelesen. Andere \
        Apps können sie als Teil des Musters behandeln.
        A choice has no options.
        Eine Auswahlfrage hat keine Antwortmöglichkeiten.
        The form does not contain the value set that it refers to.
        Das Formular enthält die Wertemenge nicht, auf die es verweist.
        The value set is not available; answers are not checked against it.
        Die Wertemenge ist nicht verfügbar; Antworten werden nicht damit geprüft.
        this sub-questionnaire is not assembled, and its questions are missing; assemble the form before it is \
        published (https://hl7.org/fhir/uv/sdc/modular.html).
        Dieses Teilformular ist nicht eingesetzt, und seine Fragen fehlen; setzen Sie das Formular zusammen, bevor \
        Sie es veröffentlichen (https://hl7.org/fhir/uv/sdc/modular.html).
        The name should be an identifier: a capital letter, then letters, digits and _.
        Der Name sollte ein Bezeichner sein: ein Großbuchstabe, dann Buchstaben, Ziffern und _.
        The form has no items.
        Das Formular hat keine Einträge.
        A condition refers to its own item.
        Eine Bedingung verweist auf ihren eigenen Eintrag.
        A condition refers to an item inside its own item.
        Eine Bedingung verweist auf einen Eintrag innerhalb ihres eigenen Eintrags.
        A condition refers to a group or a display item, which has no answers.
        Eine Bedingung verweist auf eine Gruppe oder einen Hinweistext ohne Antworten.
        A condition's operator is not defined by FHIR R4.
        Der Operator einer Bedingung ist in FHIR R4 nicht definiert.
        A condition has no answer to compare with.
        Eine Bedingung hat keine Antwort zum Vergleichen.
        The operator exists needs a boolean answer.
        Der Operator exists braucht eine boolesche Antwort.
        A condition compares with a number without a unit, and the question permits several units.
        Eine Bedingung vergleicht mit einer Zahl ohne Einheit, und die Frage erlaubt mehrere Einheiten.
        A condition's unit is not comparable to a unit of its question.
        Die Einheit einer Bedingung ist mit keiner Einheit ihrer Frage vergleichbar.
        A condition's value has a type that its question does not permit.
        Der Wert einer Bedingung hat einen Typ, den ihre Frage nicht erlaubt.
        A condition refers to a question that comes later.
        Eine Bedingung verweist auf eine spätere Frage.
        An item has no linkId.
        Ein Eintrag hat keine linkId.
        Two items have this linkId; each needs one of its own (que-2).
        Zwei Einträge haben diese linkId; jeder braucht eine eigene (que-2).
        The item's type is not defined by FHIR R4.
        Der Typ des Eintrags ist in FHIR R4 nicht definiert.
        The form is populated by a StructureMap, which is not evaluated; use initialExpression.
        Das Formular wird mit einer StructureMap vorbefüllt, die nicht ausgewertet wird; verwenden Sie \
        initialExpression.
        Answers are extracted by a StructureMap, which is not evaluated; use templateExtract or definitionExtract.
        Antworten werden mit einer StructureMap umgewandelt, die nicht ausgewertet wird; verwenden Sie \
        templateExtract oder definitionExtract.
        The form is adaptive: a server chooses the next question, which is not supported.
        Das Formular ist adaptiv: Ein Server wählt die nächste Frage, was nicht unterstützt wird.
        A signature is required, but it is neither asked for nor checked.
        Eine Unterschrift ist erforderlich, wird aber weder verlangt noch geprüft.
        The form must be assembled with other forms before it is published ({1}).
        Das Formular muss mit anderen zusammengesetzt werden, bevor es veröffentlicht wird ({1}).
        An expression is written in CQL, which is not evaluated; write it in FHIRPath.
        Ein Ausdruck ist in CQL geschrieben, das nicht ausgewertet wird; schreiben Sie ihn in FHIRPath.
        A picture, sound or film has no title, which is read aloud or shown in its stead.
        Ein Bild, Ton oder Film hat keinen Titel, der an seiner Stelle vorgelesen oder angezeigt wird.
        {1} pictures, sounds or films have no title, which is read aloud or shown in its stead.
        {1} Bilder, Töne oder Filme haben keinen Titel, der an ihrer Stelle vorgelesen oder angezeigt wird.
        No question has a code; answers have no meaning outside of this form.
        Keine Frage hat einen Code; Antworten haben außerhalb dieses Formulars keine Bedeutung.
        The question has no code; its answers have no meaning outside of this form.
        Die Frage hat keinen Code; ihre Antworten haben außerhalb dieses Formulars keine Bedeutung.
        {1}: An option that is a text has no concept of its own in the warehouse; give it a code (valueCoding).
        {1}: Eine Antwortmöglichkeit, die ein Text ist, hat keinen eigenen Begriff im Warehouse; geben Sie ihr \
        einen Code (valueCoding).
        {1}: A code without a system means nothing outside of this form; give it its system.
        {1}: Ein Code ohne System bedeutet außerhalb dieses Formulars nichts; geben Sie ihm sein System.
        The form has translations, and does not name the language of its own texts (language).
        Das Formular hat Übersetzungen, nennt aber nicht die Sprache seiner eigenen Texte (language).
        The {1} has no translation to {2}.
        Das Element {1} hat keine Übersetzung in {2}.
        {1}: The options have no translation to {2}.
        {1}: Die Antwortmöglichkeiten haben keine Übersetzung in {2}.
        The item is never enabled.
        Der Eintrag ist nie aktiv.
        The item is never enabled, nor is the item inside.
        Der Eintrag ist nie aktiv, auch nicht der Eintrag darin.
        The item is never enabled, nor are the {1} items inside.
        Der Eintrag ist nie aktiv, auch nicht die {1} Einträge darin.
        The condition on {1} is never true: no answer to that question is valid.
        Die Bedingung zu {1} ist nie erfüllt: Keine Antwort auf diese Frage ist gültig.
        The condition on {1} is never true: no valid answer to that question fulfils it.
        Die Bedingung zu {1} ist nie erfüllt: Keine gültige Antwort auf diese Frage erfüllt sie.
        The condition on {1} is always true: no valid answer to that question is that value.
        Die Bedingung zu {1} ist immer erfüllt: Keine gültige Antwort auf diese Frage hat diesen Wert.
        The conditions on {1} are never true together.
        Die Bedingungen zu {1} sind nie zugleich erfüllt.
        One of the conditions on {1} is always true.
        Eine der Bedingungen zu {1} ist immer erfüllt.
        An expression ({1}) is in the language {2}, which is not evaluated.
        Ein Ausdruck ({1}) ist in der Sprache {2} geschrieben, die nicht ausgewertet wird.
        An expression ({1}) is not valid: {2}
        Ein Ausdruck ({1}) ist nicht gültig: {2}
        An expression ({1}) reads %{2}, which nothing defines.
        Ein Ausdruck ({1}) liest %{2}, das nirgends definiert ist.
        An expression ({1}) reads the item "{2}", which the form does not have there.
        Ein Ausdruck ({1}) liest den Eintrag „{2}“, den das Formular dort nicht hat.
        An expression ({1}) depends on itself: {2}.
        Ein Ausdruck ({1}) hängt von sich selbst ab: {2}.
        A variable depends on itself: {1}.
        Eine Variable hängt von sich selbst ab: {1}.
        The enablement of the item depends on itself through other items: {1}.
        Ob der Eintrag aktiv ist, hängt über andere Einträge von ihm selbst ab: {1}.
        Two expressions of one element define %{1}.
        Zwei Ausdrücke eines Elements definieren %{1}.
        A variable hides %{1} of an element above.
        Eine Variable verdeckt %{1} eines Elements darüber.
        The name %{1} has a meaning in every expression.
        Der Name %{1} hat in jedem Ausdruck eine feste Bedeutung.
        A condition refers to the question {1}, which the form does not have.
        Eine Bedingung verweist auf die Frage {1}, die das Formular nicht hat.
        A condition names no question.
        Eine Bedingung nennt keine Frage.
        {1} and {2} more
        {1} und {2} weitere
        """
}
