"""Pure: a short list of places, of well-known organisations and of first names.

Left out is what is often something else: Jordan, Georgia, Chad, Nice, Reading, Essen; Will, May, Bill, Rose.
Names of several words are matched as a whole.
"""

from __future__ import annotations

from typing import Final

# ruff: noqa: SIM905 - a list of words is read, and kept in order, as words

PLACES: Final = frozenset(
    name.strip()
    for name in """
Afghanistan, Albania, Algeria, Andorra, Angola, Argentina, Armenia, Australia, Austria, Azerbaijan, Bahrain,
Bangladesh, Belarus, Belgium, Bolivia, Bosnia, Botswana, Brazil, Bulgaria, Burma, Burundi, Cambodia,
Cameroon, Canada, Chile, China, Colombia, Congo, Costa Rica, Croatia, Cuba, Cyprus, Czech Republic, Czechia,
Denmark, Ecuador, Egypt, El Salvador, England, Eritrea, Estonia, Ethiopia, Fiji, Finland, France, Gabon,
Germany, Ghana, Greece, Greenland, Guatemala, Guinea, Haiti, Honduras, Hungary, Iceland, India, Indonesia,
Iran, Iraq, Ireland, Israel, Italy, Ivory Coast, Jamaica, Japan, Kazakhstan, Kenya, Kosovo, Kuwait,
Kyrgyzstan, Laos, Latvia, Lebanon, Liberia, Libya, Liechtenstein, Lithuania, Luxembourg, Macedonia,
Madagascar, Malawi, Malaysia, Mali, Malta, Mauritius, Mexico, Moldova, Monaco, Mongolia, Montenegro,
Morocco, Mozambique, Myanmar, Namibia, Nepal, Netherlands, New Zealand, Nicaragua, Niger, Nigeria,
North Korea, Northern Ireland, Norway, Oman, Pakistan, Palestine, Panama, Papua New Guinea, Paraguay, Peru,
Philippines, Poland, Portugal, Puerto Rico, Qatar, Romania, Russia, Rwanda, San Marino, Saudi Arabia,
Scotland, Senegal, Serbia, Sierra Leone, Singapore, Slovakia, Slovenia, Somalia, South Africa, South Korea,
Soviet Union, Spain, Sri Lanka, Sudan, Sweden, Switzerland, Syria, Taiwan, Tajikistan, Tanzania, Thailand,
Togo, Tunisia, Turkey, Turkmenistan, Uganda, Ukraine, United Arab Emirates, United Kingdom, United States,
United States of America, Uruguay, Uzbekistan, Vatican, Venezuela, Vietnam, Wales, Yemen, Yugoslavia,
Zambia, Zimbabwe, Great Britain, Britain, Europe, Africa, Asia, North America, South America, Latin America,
Antarctica, Scandinavia, Middle East, Hong Kong, Macau, Gaza, West Bank, Bosnia and Herzegovina,
Trinidad and Tobago, Chechnya, Tibet, Crimea, Catalonia, Bavaria, Saxony, Tuscany, Sicily, Sardinia,
Corsica, Normandy, Brittany, Tyrol, Andalusia, Siberia, Balkans, Caribbean, Kashmir, US, USA, UK, UAE, USSR,
U.S., U.S.A., U.K., Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware,
Florida, Hawaii, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland,
Massachusetts, Michigan, Minnesota, Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire,
New Jersey, New Mexico, New York, North Carolina, North Dakota, Ohio, Oklahoma, Oregon, Pennsylvania,
Rhode Island, South Carolina, South Dakota, Tennessee, Texas, Utah, Vermont, West Virginia, Wisconsin,
Wyoming, Ontario, Quebec, British Columbia, Alberta, Manitoba, Nova Scotia, New South Wales, Queensland,
Tasmania, Yorkshire, Cornwall, Essex, Surrey, Lancashire, Aachen, Aberdeen, Abu Dhabi, Adelaide, Algiers,
Amman, Amsterdam, Ankara, Antwerp, Antwerpen, Athens, Atlanta, Auckland, Augsburg, Baghdad, Baltimore,
Bangalore, Bangkok, Barcelona, Basel, Beijing, Beirut, Belfast, Belgrade, Bergen, Berlin, Bern, Bielefeld,
Bilbao, Birmingham, Bogota, Bogotá, Bologna, Bombay, Bonn, Bordeaux, Boston, Bratislava, Bremen, Brisbane,
Bristol, Brno, Brussels, Brüssel, Bruxelles, Bucharest, Budapest, Buenos Aires, Cairo, Calcutta, Calgary,
Cambridge, Canberra, Cape Town, Caracas, Cardiff, Casablanca, Chennai, Chicago, Cleveland, Cologne,
Copenhagen, Cincinnati, Córdoba, Dallas, Damascus, Darmstadt, Delhi, Den Haag, Denver, Detroit, Dhaka,
Dortmund, Dresden, Dubai, Dublin, Duisburg, Düsseldorf, Edinburgh, Eindhoven, Erfurt, Erlangen, Firenze,
Florence, Frankfurt, Frankfurt am Main, Freiburg, Gdansk, Geneva, Genf, Genoa, Genova, Ghent, Glasgow,
Gothenburg, Göteborg, Göttingen, Granada, Graz, Grenoble, Groningen, Guadalajara, Guangzhou, Hamburg,
Hannover, Hanoi, Havana, Heidelberg, Helsinki, Ho Chi Minh City, Houston, Hyderabad, Innsbruck, Islamabad,
Istanbul, Jakarta, Jena, Jerusalem, Johannesburg, Kabul, Karachi, Karlsruhe, Kassel, Kathmandu, Kiel, Kiev,
Kyiv, Koblenz, Kraków, Krakow, Kuala Lumpur, Kyoto, Köln, København, Lagos, Lahore, Las Vegas, Lausanne,
Leeds, Leicester, Leiden, Leipzig, Lille, Lima, Lisbon, Lisboa, Liverpool, Ljubljana, London, Los Angeles,
Lublin, Luzern, Lyon, Lübeck, Madrid, Magdeburg, Mainz, Malmö, Manchester, Manila, Mannheim, Maracaibo,
Marrakesh, Marseille, Medellín, Melbourne, Memphis, Mexico City, Miami, Milan, Milano, Milwaukee,
Minneapolis, Minsk, Montevideo, Montreal, Montréal, Moscow, Mumbai, Munich, München, Münster, Nagoya,
Nairobi, Nantes, Napoli, Nashville, New Delhi, New Orleans, New York City, Newcastle, Nicosia, Nottingham,
Nuremberg, Nürnberg, Odessa, Osaka, Oslo, Ottawa, Oxford, Padua, Palermo, Paris, Perth, Philadelphia,
Phoenix, Pittsburgh, Portland, Porto, Potsdam, Poznan, Prague, Prag, Pretoria, Pyongyang, Quito, Regensburg,
Reykjavik, Riga, Rio de Janeiro, Riyadh, Rom, Roma, Rome, Rotterdam, Saarbrücken, Sacramento,
Saint Petersburg, Salzburg, San Antonio, San Diego, San Francisco, San José, San Jose, Santiago, São Paulo,
Sao Paulo, Sarajevo, Seattle, Seoul, Sevilla, Seville, Shanghai, Sheffield, Shenzhen, Sofia, Southampton,
St. Gallen, St. Louis, St. Petersburg, Stockholm, Strasbourg, Stuttgart, Sydney, Taipei, Tallinn, Tehran,
Tel Aviv, The Hague, Thessaloniki, Tokyo, Torino, Toronto, Toulouse, Trier, Trieste, Tripoli, Tunis, Turin,
Ulm, Utrecht, Valencia, Vancouver, Venice, Venezia, Verona, Vienna, Wien, Vilnius, Warsaw, Washington,
Washington D.C., Weimar, Wellington, Wiesbaden, Winnipeg, Wroclaw, Wuppertal, Würzburg, York, Zagreb,
Zaragoza, Zurich, Zürich, Deutschland, Österreich, Schweiz, Frankreich, Italien, Spanien, Niederlande,
Belgien, Polen, Großbritannien, Vereinigte Staaten, Russland, Griechenland, Türkei, Schweden, Norwegen,
Dänemark, Finnland, Europa, Bayern, Allemagne, Autriche, Suisse, Espagne, Italie, Belgique, Pays-Bas,
États-Unis, Royaume-Uni, Grèce, Londres, Alemania, España, Francia, Italia, Suiza, Reino Unido,
Estados Unidos, Países Bajos, México, Germania, Spagna, Svizzera, Regno Unito, Stati Uniti, Duitsland,
Frankrijk, Nederland, België, Brasil, Portogallo, Cataluña
""".replace("\n", " ").split(",")
)

ORGANISATIONS: Final = frozenset(
    name.strip()
    for name in """
ABB, ABN AMRO, ADAC, Adidas, Adobe, AEG, Airbus, Aldi, Allianz, AMD, Amnesty International, ANSA, AOL, AP,
Apple, ARD, ASEAN, AT&T, Audi, AWS, Barclays, BASF, Bayer, BBC, Bertelsmann, BMW, Boeing, Bosch, BP,
Bundesbank, Bundestag, Bundesrat, Bundeswehr, CBS, CDU, CERN, CIA, Cisco, Citigroup, CNN, Coca-Cola,
Commerzbank, Continental AG, Credit Suisse, CSU, Daimler, DHL, DPA, EasyJet, EBRD, ECB, EMI, Enron, ESA, EU,
European Commission, European Union, European Parliament, Exxon, Facebook, FAO, FBI, FDA, FDP, Fedex, FedEx,
Fiat, FIFA, Ford, General Electric, General Motors, GitHub, GitLab, Goldman Sachs, Google, Greenpeace,
Hamas, Hewlett-Packard, Hezbollah, Honda, HP, HSBC, IAEA, IBM, ICRC, IEEE, IKEA, ILO, IMF, ING, Intel,
Interpol, ISO, JPMorgan, KLM, KPMG, Lidl, LinkedIn, Lufthansa, Mastercard, McDonald's, McKinsey,
Mercedes-Benz, Merrill Lynch, Microsoft, MIT, Mitsubishi, Morgan Stanley, Motorola, Mozilla, NASA, NASDAQ,
NATO, NBC, Nestlé, Netflix, NHS, Nike, Nintendo, Nissan, Nokia, Novartis, Nvidia, OECD, OPEC, Oracle, OSCE,
Oxfam, Panasonic, PayPal, PepsiCo, Pfizer, Philips, Porsche, PwC, Red Cross, Renault, Reuters, Roche,
Rolls-Royce, RWE, Ryanair, Samsung, SAP, Schufa, Shell, Siemens, Sony, SPD, Spotify, Tesla, The Beatles,
Toshiba, Toyota, UBS, UEFA, UN, UNESCO, UNHCR, UNICEF, United Nations, UPS, USPS, Verizon, Visa, Vodafone,
Volkswagen, Volvo, Walmart, WHO, Wikipedia, World Bank, World Health Organization, WTO, WWF, Yahoo, YouTube,
ZDF, Zalando, U.N., E.U.
""".replace("\n", " ").split(",")
)

FIRST_NAMES: Final = frozenset(
    """
Aaron Abby Abdul Abdullah Abigail Abraham Achim Ada Adam Adele Adrian Adriana Agnes Agnieszka Ahmad Ahmed
Aidan Aisha Alan Alastair Albert Alberto Alejandra Alejandro Aleksandar Aleksander Alessandra Alessandro
Alessia Alex Alexander Alexandra Alexandre Alexei Alexis Alfonso Alfred Alfredo Ali Alice Alicia Alina
Alison Allan Allen Allison Alois Alvaro Álvaro Amanda Amber Amelia Amélie Amir Amy Ana Anastasia Anders
Andrea Andreas Andrei Andrej Andrés Andrew Andrey Andrzej Andy Angela Angelika Angelina Angelo Anika Anita
Anja Anke Ann Anna Annabel Anne Annette Annie Anthony Antje Antoine Anton Antonia Antonio António Ariane
Ariel Arjun Arnold Arthur Arturo Astrid Aurélie Axel Barack Barbara Barry Bastian Beate Beatrice Beatriz Ben
Benedikt Benjamin Bernard Bernd Bernhard Bernie Bertha Bertrand Beth Bettina Betty Beverly Birgit Björn Bob
Bobby Boris Brad Brandon Brenda Brian Bridget Brigitte Bruce Bruno Bryan Burkhard Caitlin Camille Carina
Carl Carla Carlo Carlos Carmen Carol Carola Carolin Carolina Caroline Carolyn Carsten Catherine Cathy
Cecilia Cédric Charles Charlie Charlotte Chiara Chloe Chris Christa Christiane Christina Christine Christoph
Christophe Christopher Cindy Clara Clare Claude Claudia Claudio Claus Clément Clive Colin Connor Conrad
Cornelia Craig Cristina Curtis Cynthia Dagmar Dale Damian Damien Dan Dana Daniel Daniela Danielle Danny
Dario Darren Dave David Davide Dawn Dawid Deborah Debbie Denis Denise Dennis Derek Diana Diane Didier Diego
Dieter Dietmar Dietrich Dimitri Dirk Dmitri Dmitry Dominic Dominik Dominique Don Donald Donna Dora Doris
Dorothea Dorothy Doug Douglas Duncan Dylan Ed Eddie Edgar Edith Eduardo Edward Edwin Egon Eileen Elaine
Eleanor Elena Eleni Elias Elijah Elina Elisa Elisabeth Elise Elizabeth Elke Ella Ellen Elliot Elsa Elvira
Emanuel Emil Emilia Emilie Emilio Emily Emma Emmanuel Enrico Enrique Eric Erica Erich Erik Erika Erin Ernest
Ernst Erwin Esther Ethan Étienne Eugene Eva Evelyn Fabian Fabio Fabrice Fatima Federica Federico Felicia
Felipe Felix Ferdinand Fernanda Fernando Filip Fiona Florence Florian Frances Francesca Francesco Francis
Francisco Franco François Françoise Frank Franz Franziska Fred Frédéric Frederick Frederik Friedrich Fritz
Gabriel Gabriela Gabriele Gareth Gary Gavin Geert Geoff Geoffrey George Georg Georges Gerald Gerard Gérard
Gerd Gerhard Gertrud Gianluca Gilbert Gilles Gina Giorgio Giovanna Giovanni Gisela Giulia Giuseppe Gloria
Gordon Graham Greg Gregor Gregory Greta Guido Guillaume Guillermo Günter Günther Gunnar Gustav Guy Hannah
Hanna Hanne Hans Harald Harold Harriet Harry Hassan Heather Hector Héctor Heidi Heike Heiko Heiner Heinrich
Heinz Helen Helena Helene Helga Helmut Hendrik Henk Henning Henri Henrik Henry Herbert Hermann Hilary Hilda
Hildegard Holger Horst Howard Hubert Hugh Hugo Ian Ibrahim Ignacio Igor Ilona Ilse Ina Inés Ines Inga Ingrid
Irene Irina Iris Irma Isaac Isabel Isabella Isabelle Ivan Ivana Jack Jackie Jacob Jacqueline Jacques Jaime
Jake Jakob Jakub James Jamie Jan Jana Jane Janet Janice Janine Javier Jean Jeanne Jeff Jeffrey Jennifer
Jenny Jens Jeremy Jerome Jérôme Jerry Jesper Jesse Jessica Jesús Jill Jim Jimmy Joachim Joan Joanna Joanne
Joao João Jochen Joe Joel Johan Johann Johanna Johannes John Johnny Jon Jonas Jonathan Jordi Jorge Jörg Jörn
José Josef Joseph Josephine Joshua Joyce Juan Juana Judith Judy Julia Julian Juliane Julie Julien Juliette
Julio Jürgen Justin Jutta Kai Kamil Karen Karim Karin Karina Karl Karla Karolina Karsten Kasper Katarina
Kate Katharina Katherine Kathleen Kathrin Kathryn Kathy Katie Katja Katrin Keith Kelly Ken Kenneth Kerstin
Kevin Khalid Kim Kirsten Kirsty Klara Klaus Konrad Krzysztof Kristin Kristina Kurt Kyle Lars Larry Laura
Lauren Laurence Laurent Lawrence Léa Lea Lena Leo Leon Leonard Leonardo Leonie Leopold Leroy Leslie Lewis
Liam Lina Linda Lisa Lise Liz Lorena Lorenz Lorenzo Lothar Louis Louisa Louise Luc Luca Lucas Lucia Lucía
Lucy Ludwig Luigi Luis Luisa Lukas Luke Luz Lynn Maarten Maddalena Madeleine Magdalena Maggie Mahmoud
Malcolm Manfred Manuel Manuela Marc Marcel Marcello Marcin Marco Marcus Marek Margaret Margarita Margarete
Margit Maria María Mariana Marianne Marie Marina Mario Marion Marisa Mark Marko Markus Marlene Marta Martha
Martin Martina Martine Marvin Mary Massimo Mateo Mateusz Mathias Mathieu Mathilde Matt Matteo Matthew
Matthias Maud Maureen Maurice Max Maxim Maximilian Megan Melanie Melissa Mercedes Mia Michael Michaela
Michail Michał Michel Michele Michelle Miguel Mikael Mike Mikhail Milan Miles Milena Miriam Mirko Mohamed
Mohammad Mohammed Moira Molly Monica Monika Monique Moritz Muhammad Nadia Nadine Nancy Naomi Natalia Natalie
Natasha Nathan Nathalie Neil Nelson Nicholas Nick Nicola Nicolai Nicolas Nicole Niels Nigel Nikita Niklas
Nikola Nikolai Nikolaus Nils Nina Noah Noel Nora Norbert Norman Norma Olaf Oleg Olga Oliver Olivia Olivier
Omar Oscar Oskar Otto Owen Pablo Pamela Paola Paolo Pascal Pat Patrice Patricia Patrick Paul Paula Pauline
Pavel Pedro Penelope Per Peter Petra Phil Philip Philipp Philippe Phillip Phyllis Pierre Pieter Pietro Pilar
Piotr Rachel Rafael Rahul Rainer Raj Ralf Ralph Ramona Raphael Raúl Raymond Rebecca Regina Reinhard Renata
Renate René Renée Ricardo Riccardo Richard Rick Rita Robert Roberta Roberto Robin Rodrigo Roger Roland Rolf
Roman Ron Ronald Rosa Rosemary Ross Roy Ruben Rudi Rudolf Rupert Russell Ruth Ryan Sabine Sabrina Sally
Salvador Salvatore Sam Samantha Samir Samuel Sandra Sandro Sanjay Santiago Sara Sarah Sascha Saskia Scott
Sean Sebastian Sebastián Serena Serge Sergei Sergey Sergio Seth Shane Shannon Sharon Sheila Shirley Sibylle
Siegfried Sigmund Sigrid Silke Silvia Silvio Simon Simona Simone Sofia Sofía Sonia Sonja Sophia Sophie Stacy
Stan Stanislav Stefan Stefania Stefanie Stefano Steffen Stella Stephan Stéphane Stephanie Stephen Steve
Steven Stewart Stuart Susan Susanna Susanne Suzanne Sven Svetlana Sybille Sylvia Sylvie Tamara Tania Tanja
Tara Tatiana Ted Teresa Terence Terry Thea Theo Theodor Theodore Theresa Thérèse Thierry Thomas Thorsten
Tiago Till Tim Timo Timothy Tina Tobias Toby Todd Tom Tomás Tomasz Tommy Toni Tony Torsten Tracey Tracy
Trevor Udo Ulla Ulrich Ulrike Umberto Urs Ursula Ute Uwe Valentin Valentina Valerie Vanessa Vera Verena
Veronica Veronika Véronique Vicente Victor Victoria Viktor Viktoria Vincent Vincenzo Virginia Viola Vladimir
Volker Walter Waltraud Wanda Wayne Wendy Werner Wilfried Wilhelm Willem William Willy Winston Wolfgang
Wolfram Xavier Yann Yannick Yasmin Yolanda Yuri Yusuf Yves Yvette Yvonne Zachary Zoe Zoë Zofia Jing Wei
Hiroshi Kenji Yuki Akira Takashi Min-jun Priya Anil Ravi Sunil Vijay Deepak Ramesh Suresh Amit Rajesh
""".split()
)
