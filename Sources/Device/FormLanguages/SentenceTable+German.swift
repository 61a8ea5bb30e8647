extension SentenceTable {
    /// The sentences in German: pairs of lines, the English template and its translation.
    static let german: StaticString = """
        yes
        ja
        no
        nein
        The form is a draft.
        Das Formular ist ein Entwurf.
        The form is retired.
        Das Formular ist nicht mehr in Gebrauch.
        The form was not in use when it was answered.
        Das Formular war nicht in Gebrauch, als es beantwortet wurde.
        The response is for another form.
        Die Antworten gehören zu einem anderen Formular.
        The response is for another version of the form.
        Die Antworten gehören zu einer anderen Version des Formulars.
        The member item must be a list.
        Das Element item muss eine Liste sein.
        An item must be an object.
        Ein Eintrag muss ein Objekt sein.
        An item of the response has no linkId.
        Ein Eintrag der Antworten hat keine linkId.
        The item is at another path in the form.
        Der Eintrag befindet sich im Formular an einer anderen Stelle.
        The form has no item of this linkId.
        Das Formular hat keinen Eintrag mit dieser linkId.
        The item follows one that comes later in the form.
        Der Eintrag folgt auf einen, der im Formular später kommt.
        The item's text differs from the form's.
        Der Text des Eintrags weicht von dem des Formulars ab.
        A display item takes no answer.
        Ein Hinweistext hat keine Antwort.
        A display item has no items.
        Ein Hinweistext hat keine Einträge.
        A group takes items, not answers.
        Eine Gruppe enthält Einträge, keine Antworten.
        A group takes items, not answers: set those inside.
        Eine Gruppe enthält Einträge, keine Antworten: Setzen Sie die Antworten darin.
        A group takes an object of its items, not an answer.
        Eine Gruppe enthält ein Objekt mit ihren Einträgen, keine Antwort.
        The group does not repeat, but occurs again.
        Die Gruppe darf nur einmal vorkommen, kommt aber mehrmals vor.
        The group has more instances than are permitted.
        Die Gruppe kommt öfter vor als erlaubt.
        A question occurs once, with all its answers in it.
        Eine Frage kommt nur einmal vor und enthält alle ihre Antworten.
        Items below a question belong inside its answers.
        Einträge unter einer Frage gehören in deren Antworten.
        The member answer must be a list.
        Das Element answer muss eine Liste sein.
        The answer has no value.
        Die Antwort hat keinen Wert.
        An answer has one value, but this one has several.
        Eine Antwort hat einen Wert, diese hat mehrere.
        The item is not enabled and must have no answer.
        Der Eintrag ist nicht aktiv und darf keine Antwort haben.
        The item is not enabled with these answers; its answer is omitted.
        Der Eintrag ist bei diesen Antworten nicht aktiv; seine Antwort wird weggelassen.
        At least one question of this group needs an answer.
        Beantworten Sie mindestens eine Frage dieser Gruppe.
        The question needs an answer.
        Die Frage muss beantwortet werden.
        The question takes one answer.
        Die Frage erlaubt nur eine Antwort.
        At least {1} are required.
        Mindestens {1} sind erforderlich.
        The maximum is {1}.
        Höchstens {1} sind erlaubt.
        One of the chosen answers excludes all others.
        Eine der gewählten Antworten schließt alle anderen aus.
        An item of the abstract type question takes no answer.
        Ein Eintrag des abstrakten Typs question hat keine Antwort.
        The answer must be of the type {1}.
        Die Antwort muss vom Typ {1} sein.
        The answer is not valid for its type.
        Die Antwort ist für ihren Typ nicht gültig.
        The answer is longer than {1} characters.
        Die Antwort ist länger als {1} Zeichen.
        The answer is shorter than {1} characters.
        Die Antwort ist kürzer als {1} Zeichen.
        The answer must be on one line.
        Die Antwort darf nur eine Zeile haben.
        The answer does not have the required form.
        Die Antwort hat nicht die verlangte Form.
        Matching the form's pattern takes too long; it is not checked.
        Der Vergleich mit dem Muster des Formulars dauert zu lange; es wird nicht geprüft.
        The answer is below the least value.
        Die Antwort liegt unter dem kleinsten erlaubten Wert.
        The answer is above the greatest value.
        Die Antwort liegt über dem größten erlaubten Wert.
        The answer's unit is not comparable to that of the minimum.
        Die Einheit der Antwort lässt sich nicht mit der des Mindestwerts vergleichen.
        The answer's unit is not comparable to that of the maximum.
        Die Einheit der Antwort lässt sich nicht mit der des Höchstwerts vergleichen.
        The form does not specify the unit of the minimum; it is not checked.
        Das Formular nennt die Einheit des Mindestwerts nicht; er wird nicht geprüft.
        The form does not specify the unit of the maximum; it is not checked.
        Das Formular nennt die Einheit des Höchstwerts nicht; er wird nicht geprüft.
        The answer has more than {1} decimal places.
        Die Antwort hat mehr als {1} Nachkommastellen.
        The answer is not one of the question's options.
        Die Antwort ist keine der Möglichkeiten der Frage.
        The display text is none of the texts of the answer's code.
        Der Anzeigetext ist keiner der Texte des Codes der Antwort.
        The value is not a valid answer to a question of the type {1}.
        Der Wert ist keine gültige Antwort auf eine Frage des Typs {1}.
        The answer's unit needs a code from the question's value set of units.
        Die Einheit der Antwort braucht einen Code aus den Einheiten der Frage.
        The question does not permit the answer's unit.
        Die Frage erlaubt die Einheit der Antwort nicht.
        The answer's unit differs from the question's unit.
        Die Einheit der Antwort weicht von der Einheit der Frage ab.
        Files of this type are not taken.
        Dateien dieses Typs werden nicht angenommen.
        The file's data is not base64.
        Die Daten der Datei sind kein base64.
        The file is larger than {1} bytes.
        Die Datei ist größer als {1} Bytes.
        The file's size differs from the declared one.
        Die Größe der Datei weicht von der angegebenen ab.
        The reference is not in a form that FHIR permits.
        Der Verweis hat keine Form, die FHIR erlaubt.
        FHIR R4 does not define the referenced resource type.
        FHIR R4 kennt den Typ der Ressource nicht, auf die verwiesen wird.
        The URL does not end with a resource's type and id.
        Die URL endet nicht mit Typ und id einer Ressource.
        The reference has no target.
        Der Verweis hat kein Ziel.
        The question does not permit a reference to a resource of this type.
        Die Frage erlaubt keinen Verweis auf eine Ressource dieses Typs.
        The answer is not a valid URL.
        Die Antwort ist keine gültige URL.
        The answers must be a JSON object of linkIds with values.
        Die Antworten müssen ein JSON-Objekt aus linkIds mit Werten sein.
        The member item must be an object of linkIds.
        Das Element item muss ein Objekt aus linkIds sein.
        The answers contain this path twice; the first value is used.
        Die Antworten enthalten diesen Pfad zweimal; der erste Wert wird verwendet.
        The item does not belong here.
        Der Eintrag gehört nicht hierher.
        The question above this item has no such answer, so there are no items below it.
        Die Frage über diesem Eintrag hat keine solche Antwort; darunter gibt es keine Einträge.
        The question above this item has several answers; identify one, as in question[0]/item.
        Die Frage über diesem Eintrag hat mehrere Antworten; bezeichnen Sie eine, wie in question[0]/item.
        The group {1} has {2} repetitions, counted from 0: only the next can be added, if the group repeats.
        Die Gruppe {1} hat {2} Wiederholungen, gezählt ab 0: Nur die nächste kann hinzugefügt werden, wenn sich die \
        Gruppe wiederholt.
        The question has {1} answers, counted from 0: only the next can be added.
        Die Frage hat {1} Antworten, gezählt ab 0: Nur die nächste kann hinzugefügt werden.
        The answers do not make a valid response ({1} errors).
        Die Antworten ergeben kein gültiges Ganzes ({1} Fehler).
        This question needs an answer.
        Diese Frage muss beantwortet werden.
        The answer is removed.
        Die Antwort ist entfernt.
        The file cannot be read.
        Die Datei kann nicht gelesen werden.
        This is the first question.
        Dies ist die erste Frage.
        An expression of the form is not evaluated: {1}
        Ein Ausdruck des Formulars wird nicht ausgewertet: {1}
        An expression of the form fails: {1}
        Ein Ausdruck des Formulars schlägt fehl: {1}
        The answers break the form's rule {1}.
        Die Antworten verletzen die Regel {1} des Formulars.
        The form calculates an answer that the response does not have.
        Das Formular berechnet eine Antwort, die in den Antworten fehlt.
        The answer differs from the one that the form calculates.
        Die Antwort weicht von der ab, die das Formular berechnet.
        The expression depends on itself: {1}.
        Der Ausdruck hängt von sich selbst ab: {1}.
        A variable depends on itself.
        Eine Variable hängt von sich selbst ab.
        The language {1} is not evaluated.
        Die Sprache {1} wird nicht ausgewertet.
        Queries are not available here.
        Abfragen sind hier nicht verfügbar.
        A query cannot be executed.
        Eine Abfrage lässt sich nicht ausführen.
        The variable %{1} fails: {2}
        Die Variable %{1} schlägt fehl: {2}
        The expression has several values instead of true or false.
        Der Ausdruck hat mehrere Werte statt wahr oder falsch.
        The value set is not available.
        Die Wertemenge ist nicht verfügbar.
        A value of the type {1} does not answer the question.
        Ein Wert des Typs {1} ist keine Antwort auf die Frage.
        The expression has {1} values, and the question takes one answer.
        Der Ausdruck hat {1} Werte, und die Frage erlaubt nur eine Antwort.
        The unit of a value is not comparable to that of the question.
        Die Einheit eines Werts ist nicht mit der Einheit der Frage vergleichbar.
        More than {1} variables are read one through the other.
        Mehr als {1} Variablen werden eine durch die andere gelesen.
        """
}
