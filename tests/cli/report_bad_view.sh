# Every view there is is named, as --view help lists them.
pitwall report --view time run.pit 2>said
echo "status $?"
views=$(pitwall report --view help | cut -d' ' -f1 | paste -sd, | sed 's/,/, /g')
sed "s/must be one of $views\$/must be one of ALL VIEWS/" said
